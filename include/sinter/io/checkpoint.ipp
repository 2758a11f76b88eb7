#pragma once

#include <algorithm>  // std::min
#include <optional>   // std::optional

#include <sinter/device/host/scoped_device.hpp>
#include <sinter/io/checkpoint.hpp>
#include <sinter/trace/core/recorder.hpp>

namespace sinter::inline SINTER_ABI::io::detail {

// The entries of one file, or of several. The file that was read last stays open.
class StateFiles {
 public:
  StateFiles(Access access, std::vector<std::string> paths)
      : access_(std::move(access)), paths_(std::move(paths)) {}

  const Access& access() const { return access_; }
  // The headers of all files.
  std::vector<SafetensorsEntry> entries() {
    std::vector<SafetensorsEntry> result;
    for (std::size_t i = 0; i < paths_.size(); ++i) {
      for (SafetensorsEntry& entry : read_safetensors_header(file(i)).entries) {
        entry.file = i;
        result.push_back(std::move(entry));
      }
    }
    return result;
  }
  const InputFile& file(std::size_t index) {
    if (!open_ || index_ != index) open_.emplace(Access{access_.op, paths_[index], access_.where});
    index_ = index;
    return *open_;
  }

 private:
  Access access_;  // the path that the user gave
  std::vector<std::string> paths_;
  std::optional<InputFile> open_{};
  std::size_t index_ = 0;  // of the open one
};

SINTER_INLINE StateSlot& StateVisitor::add(const Tensor& tensor,
                                           const sinter::detail::LeafName& name) {
  return state.slots.emplace_back(
      StateSlot{.name = sinter::detail::to_string(name), .tensor = const_cast<Tensor*>(&tensor)});
}

using EntriesByName = std::map<std::string_view, const SafetensorsEntry*>;
using Facts = std::vector<std::pair<std::string, std::string>>;

// All differences between a file and a module.
struct Mismatches {
  std::vector<std::string> missing{}, unexpected{};
  Facts shapes{}, dtypes{};

  bool fails(bool strict) const {
    const bool names = !missing.empty() || !unexpected.empty();
    return (strict && names) || !shapes.empty() || !dtypes.empty();
  }
};

// The planned assignments, collected before anything changes.
struct Replacement {
  sinter::detail::Vector<std::pair<StateSlot*, const SafetensorsEntry*>> slots{};
  std::vector<std::pair<StateContainer*, std::vector<const SafetensorsEntry*>>> containers{};
};

SINTER_INLINE bool is_divided(const StatePart& part) { return part.ranks > 0; }

SINTER_INLINE bool has_whole_shape(const Shape& shape, const StatePart& part) {
  if (shape.size() != static_cast<int>(part.shape.size())) return false;
  for (int axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis].number() != part.shape[static_cast<std::size_t>(axis)]) return false;
  }
  return true;
}

SINTER_INLINE std::string expected_type(const StateSlot& slot) {
  if (is_divided(slot.part)) {
    return sinter::detail::text(slot.tensor->defined() ? slot.tensor->dtype() : f32,
                                slot.part.shape);
  }
  if (slot.tensor->defined()) return to_string(*slot.tensor);
  return sinter::detail::text(*slot.dtype, slot.dims);
}

SINTER_INLINE bool has_shape(const Shape& shape, const StateSlot& slot) {
  if (is_divided(slot.part)) return has_whole_shape(shape, slot.part);
  if (slot.tensor->defined()) return sinter::detail::same(shape, slot.tensor->shape());
  if (slot.dtype == nullptr) return true;
  if (shape.size() != static_cast<int>(slot.dims.size())) return false;
  for (int axis = 0; axis < shape.size(); ++axis) {
    const Dim& dim = slot.dims[static_cast<std::size_t>(axis)];
    if (dim.size >= 0 && dim.size != shape[axis].number()) return false;
  }
  return true;
}

SINTER_INLINE bool has_dtype(DType dtype, const StateSlot& slot) {
  if (slot.is_scalar) return true;
  if (slot.dtype != nullptr) return dtype == *slot.dtype;
  return !slot.tensor->defined() || dtype == slot.tensor->dtype();
}

SINTER_INLINE void compare(const StateSlot& slot, const SafetensorsEntry& entry,
                           Mismatches& mismatches) {
  const bool same_shape = has_shape(entry.type.shape, slot);
  if (same_shape && has_dtype(entry.type.dtype, slot)) return;
  const std::string found = sinter::detail::text(entry.type.dtype, entry.type.shape);
  const std::string line = sinter::detail::text(shown(slot.name), ": ", found, " in the file, ",
                                                expected_type(slot), " in the module");
  (same_shape ? mismatches.dtypes : mismatches.shapes)
      .emplace_back(same_shape ? "dtype" : "shape", line);
}

// The next entry for a container that has `count` entries already. A list takes those named 0, 1,
// 2, ...; a map takes all.
SINTER_INLINE EntriesByName::iterator next_entry(const StateContainer& container,
                                                 EntriesByName& entries, std::size_t count) {
  if (container.is_list) return entries.find(sinter::detail::text(container.prefix, count));
  const auto first = entries.lower_bound(container.prefix);
  const bool belongs = first != entries.end() && first->first.starts_with(container.prefix);
  return belongs ? first : entries.end();
}

// How an entry of the container is divided; null if it is not.
SINTER_INLINE const StatePart* part_of(const StateContainer& container,
                                       const SafetensorsEntry& entry) {
  if (container.parts == nullptr) return nullptr;
  const auto part = container.parts->find(entry.name.substr(container.prefix.size()));
  return part == container.parts->end() ? nullptr : &part->second;
}

// Moves the entries of the container out of `entries`.
SINTER_INLINE std::vector<const SafetensorsEntry*> take(const StateContainer& container,
                                                        EntriesByName& entries,
                                                        Mismatches& mismatches) {
  std::vector<const SafetensorsEntry*> result;
  for (auto next = next_entry(container, entries, 0); next != entries.end();
       next = next_entry(container, entries, result.size())) {
    const auto& [name, entry] = *next;
    const StatePart* const part = part_of(container, *entry);
    const auto differs = [&](const std::string& expected) {
      mismatches.shapes.emplace_back(
          "shape", sinter::detail::text(shown(name), ": ", entry->type.dtype, entry->type.shape,
                                        " in the file, ", expected, " in the module"));
    };
    if (container.of_scalars && !entry->type.shape.empty()) differs("a Scalar");
    if (part != nullptr && !has_whole_shape(entry->type.shape, *part)) {
      differs(sinter::detail::text("shape ", part->shape));
    }
    result.push_back(entry);
    entries.erase(next);
  }
  return result;
}

SINTER_INLINE Replacement match(State& state, EntriesByName entries, Mismatches& mismatches) {
  Replacement result;
  for (StateSlot& slot : state.slots) {
    const auto entry = entries.find(slot.name);
    if (entry != entries.end()) {
      compare(slot, *entry->second, mismatches);
      result.slots.emplace_back(&slot, entry->second);
      entries.erase(entry);
    } else if (slot.tensor->defined()) {
      mismatches.missing.push_back(shown(slot.name));
    }
  }
  for (StateContainer& container : state.containers) {
    result.containers.emplace_back(&container, take(container, entries, mismatches));
  }
  for (const auto& [name, entry] : entries) mismatches.unexpected.push_back(shown(name));
  return result;
}

// Limits the list of names to about one screen.
inline constexpr std::size_t most_lines = 100;

SINTER_INLINE std::string listed(const std::vector<std::string>& names) {
  std::string result;
  for (std::size_t i = 0; i < std::min(names.size(), most_lines); ++i) {
    result += sinter::detail::text(i == 0 ? "" : ", ", names[i]);
  }
  if (names.size() > most_lines)
    result += sinter::detail::text(" and ", names.size() - most_lines, " more");
  return result;
}

[[noreturn]] SINTER_INLINE void throw_mismatches(const Access& access,
                                                 const Mismatches& mismatches) {
  Facts facts{{"file", shown(access.path)},
              {"missing", listed(mismatches.missing)},
              {"unexpected", listed(mismatches.unexpected)}};
  for (const Facts* differing : {&mismatches.shapes, &mismatches.dtypes}) {
    const std::size_t count = std::min(differing->size(), most_lines);
    facts.insert(facts.end(), differing->begin(),
                 differing->begin() + static_cast<std::ptrdiff_t>(count));
    if (count < differing->size())
      facts.emplace_back("more", sinter::detail::text(differing->size() - count));
  }
  const sinter::detail::Report report{
      .op = access.op,
      .what = "the file does not have the state of this module",
      .facts = std::move(facts),
      .rule = "the file has each name of the module, in the same shape and dtype, and no other",
      .fix =
          "build the module as the one that was saved, or say what differs: io::load(path, module, "
          "{.strict = false, .prefix = \"...\", .renames = {{\"from\", \"to\"}}})",
      .where = access.where,
      .see = "files"};
  if (!mismatches.missing.empty() || !mismatches.unexpected.empty()) throw IoError(report);
  if (!mismatches.shapes.empty()) throw ShapeError(report);
  throw DTypeError(report);
}

// The device of all tensors of the module; the current device if there are none, or on several
// devices. Host scalars work with every device.
SINTER_INLINE Device device_of(const Replacement& replacement) {
  std::optional<Device> result;
  for (const auto& [slot, entry] : replacement.slots) {
    if (!slot->tensor->defined() || slot->is_scalar) continue;
    const Device one = slot->tensor->device();
    if (result && *result != one) return current_device();
    result = one;
  }
  return result.value_or(current_device());
}

SINTER_INLINE Tensor read_state(StateFiles& files, const SafetensorsEntry& entry, Device device,
                                const StatePart* part) {
  const InputFile& file = files.file(entry.file);
  const Where where = file.access().where;
  if (part == nullptr || !is_divided(*part)) {
    return read_elements(file, entry.name, entry.offset, entry.type).to(device, where);
  }
  const std::int64_t elements = numel(entry.type.shape).number();
  const auto count = static_cast<std::uint64_t>((elements + part->ranks - 1) / part->ranks);
  const std::uint64_t first = static_cast<std::uint64_t>(part->rank) * count;
  return read_flat_part(file, entry.name, entry.offset, entry.type, first, count).to(device, where);
}

// Reads everything first, so that nothing can fail once values change.
SINTER_INLINE void replace(StateFiles& files, const Replacement& replacement) {
  std::vector<Tensor> tensors;
  const Device device = device_of(replacement);
  for (const auto& [slot, entry] : replacement.slots) {
    const bool known = slot->tensor->defined();
    tensors.push_back(
        read_state(files, *entry, known ? slot->tensor->device() : device, &slot->part));
    if (const sinter::detail::Marks* const marks = slot->tensor->marks()) {
      tensors.back().set_marks(
          sinter::detail::make_shared_ptr<const sinter::detail::Marks>(*marks));
    }
  }
  std::vector<NamedTensors> contents;
  for (const auto& [container, entries] : replacement.containers) {
    NamedTensors& content = contents.emplace_back();
    for (const SafetensorsEntry* const entry : entries) {
      content.emplace_back(entry->name.substr(container->prefix.size()),
                           read_state(files, *entry, device, part_of(*container, *entry)));
    }
  }
  for (std::size_t i = 0; i < contents.size(); ++i) {
    const StateContainer& container = *replacement.containers[i].first;
    container.fill(container.container, std::move(contents[i]));
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    *replacement.slots[i].first->tensor = std::move(tensors[i]);
  }
}

SINTER_INLINE void require_no_recording(const Access& access) {
  if (!is_recording()) return;
  throw GraphBreakError({.op = access.op,
                         .what = "state is loaded while a function is recorded",
                         .facts = {{"file", shown(access.path)}},
                         .rule = "state has no values during recording, only placeholders",
                         .fix = "load before the call of the compiled function, or after it",
                         .where = access.where,
                         .see = "graph-breaks"});
}

SINTER_INLINE NamedTensors tensors_of(const State& state) {
  NamedTensors result;
  for (const StateSlot& slot : state.slots) {
    if (slot.tensor->defined()) result.emplace_back(slot.name, *slot.tensor);
  }
  return result;
}

SINTER_INLINE void save_state(const Access& access, const State& state) {
  OutputFile file(access);
  write_safetensors(file, tensors_of(state), {});
  file.commit();
}

// `name` with `from` replaced by `to` wherever it is a whole dot-separated part; removes the extra
// dot if `to` is empty.
SINTER_INLINE std::string renamed(const std::string& name, const std::string& from,
                                  const std::string& to) {
  if (from.empty()) return to.empty() ? name : sinter::detail::text(to, ".", name);
  const std::string dotted = sinter::detail::text(".", name, "."),
                    word = sinter::detail::text(".", from, ".");
  std::string result;
  std::size_t begin = 0;
  for (std::size_t at = dotted.find(word); at != std::string::npos; at = dotted.find(word, begin)) {
    result += dotted.substr(begin, at - begin) + (to.empty() ? "" : "." + to);
    begin = at + word.size() - 1;  // the dot after this match may be the one before the next
  }
  result += dotted.substr(begin);
  return result.size() > 2 ? result.substr(1, result.size() - 2) : "";
}

// The selected entries, under their names in the module.
SINTER_INLINE std::vector<SafetensorsEntry> wanted_entries(const Access& access,
                                                           std::vector<SafetensorsEntry> entries,
                                                           const LoadOptions& options) {
  std::vector<SafetensorsEntry> result;
  std::map<std::string, std::string> before;
  for (SafetensorsEntry& entry : entries) {
    if (!entry.name.starts_with(options.prefix)) continue;
    std::string name = entry.name.substr(options.prefix.size());
    for (const auto& [from, to] : options.renames) name = renamed(name, from, to);
    const auto [known, is_new] = before.emplace(name, entry.name);
    if (!is_new) {
      refuse(access, {.what = "two tensors of the file get one name",
                      .facts = {{"name", shown(name)},
                                {"one", shown(known->second)},
                                {"other", shown(entry.name)}},
                      .rule = "renamed names are unique",
                      .fix = "let the renames tell them apart"});
    }
    entry.name = std::move(name);
    result.push_back(std::move(entry));
  }
  if (result.empty() && !entries.empty() && options.strict) {
    std::vector<std::string> names;
    for (const SafetensorsEntry& entry : entries) names.push_back(shown(entry.name));
    refuse(access, {.what = "no tensor of the file has the prefix",
                    .facts = {{"prefix", shown(options.prefix)}, {"names", listed(names)}},
                    .rule = "the names of the tensors that are loaded begin with the prefix",
                    .fix = "give the words that these names begin with, dots included"});
  }
  return result;
}

SINTER_INLINE LoadResult load_state(StateFiles& files, std::vector<SafetensorsEntry> all_entries,
                                    State& state, const LoadOptions& options) {
  const Access& access = files.access();
  const std::vector<SafetensorsEntry> wanted =
      wanted_entries(access, std::move(all_entries), options);
  EntriesByName entries;
  for (const SafetensorsEntry& entry : wanted) entries.emplace(entry.name, &entry);
  Mismatches mismatches;
  const Replacement replacement = match(state, std::move(entries), mismatches);
  if (mismatches.fails(options.strict)) throw_mismatches(access, mismatches);
  replace(files, replacement);
  return {std::move(mismatches.missing), std::move(mismatches.unexpected)};
}

SINTER_INLINE LoadResult load_state(const Access& access, State& state,
                                    const LoadOptions& options) {
  require_no_recording(access);
  StateFiles files(access, {access.path});
  return load_state(files, files.entries(), state, options);
}

}  // namespace sinter::inline SINTER_ABI::io::detail
