#pragma once

#include <algorithm>  // std::sort, std::stable_sort
#include <array>      // std::array
#include <cstring>    // std::memcpy
#include <optional>   // std::optional
#include <set>        // std::set

#include <sinter/base/container/algorithm.hpp>
#include <sinter/io/formats.hpp>
#include <sinter/io/json.hpp>
#include <sinter/io/safetensors.hpp>

namespace sinter::inline SINTER_ABI::io {

namespace detail {

using sinter::detail::text;

// The limit of the reference implementation, which rejects malicious headers.
inline constexpr std::uint64_t max_header_bytes = 100'000'000;
inline constexpr const char* metadata_key = "__metadata__";

// The names of the dtypes in files, in the order of DType.
inline constexpr std::array<std::string_view, 10> safetensors_dtypes{
    "BOOL", "U8", "I8", "I16", "I32", "I64", "F16", "BF16", "F32", "F64"};

SINTER_INLINE DType read_dtype(Scanner& scanner) {
  const std::string name = read_json_string(scanner);
  const auto* const found = sinter::detail::find(safetensors_dtypes, std::string_view(name));
  if (found == safetensors_dtypes.end()) {
    scanner.refuse_here(
        text("the dtype, which is ", shown(name), ", is one of ", text(safetensors_dtypes)));
  }
  return static_cast<DType>(found - safetensors_dtypes.begin());
}

SINTER_INLINE std::vector<std::int64_t> read_integers(Scanner& scanner) {
  std::vector<std::int64_t> result;
  read_json_array(scanner, [&] { result.push_back(scanner.integer()); });
  return result;
}

// {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}
struct RawEntry {
  std::string name;
  std::optional<DType> dtype{};
  std::optional<std::vector<std::int64_t>> shape{}, offsets{};
  std::optional<sinter::detail::TensorType> type{};
};

SINTER_INLINE RawEntry read_entry(Scanner& scanner, const std::string& name) {
  RawEntry result{.name = name};
  read_json_object(scanner, [&](const std::string& key) {
    if (key == "dtype") {
      result.dtype = read_dtype(scanner);
    } else if (key == "shape") {
      result.shape = read_integers(scanner);
    } else if (key == "data_offsets") {
      result.offsets = read_integers(scanner);
    } else {
      scanner.refuse_here("an entry has dtype, shape and data_offsets, and nothing else");
    }
  });
  if (!result.dtype || !result.shape || !result.offsets || result.offsets->size() != 2) {
    scanner.refuse_here("an entry has dtype, shape and two data_offsets");
  }
  const Shape shape = require_shape(scanner.access(), name, *result.dtype, *result.shape);
  result.type = sinter::detail::TensorType{*result.dtype, shape};
  return result;
}

[[noreturn]] SINTER_INLINE void refuse_offsets(const Access& access, const RawEntry& entry,
                                               std::string what, std::uint64_t expected,
                                               std::string rule) {
  refuse(access, {.what = std::move(what),
                  .facts = {{"entry", shown(entry.name)},
                            {"type", text(entry.type->dtype, entry.type->shape)},
                            {"offsets", text(*entry.offsets)},
                            {"expected", text(expected)}},
                  .rule = std::move(rule)});
}

// The entries in file order.
SINTER_INLINE std::vector<RawEntry> in_order(std::vector<RawEntry> entries) {
  std::vector<std::pair<std::vector<std::int64_t>, std::size_t>> places;
  for (const RawEntry& entry : entries) places.emplace_back(*entry.offsets, places.size());
  std::sort(places.begin(), places.end());
  std::vector<RawEntry> result;
  for (const auto& [offsets, index] : places) result.push_back(std::move(entries[index]));
  return result;
}

// The end of the last tensor in the file, for entries in file order.
SINTER_INLINE void require_whole(const Access& access, const std::vector<RawEntry>& entries,
                                 std::uint64_t begin, std::uint64_t data_bytes) {
  std::uint64_t end = 0;
  for (const RawEntry& entry : entries) {
    const std::uint64_t next = end + bytes_of(*entry.type);
    const bool follows = static_cast<std::uint64_t>((*entry.offsets)[0]) == end &&
                         static_cast<std::uint64_t>((*entry.offsets)[1]) == next && next >= end;
    if (!follows) return;  // require_dense() reports the error
    end = next;
  }
  if (end > data_bytes) refuse_cut(access, begin + data_bytes, begin + end);
}

// Throws unless the entries, in file order, fill `data_bytes` without gaps or overlaps.
SINTER_INLINE void require_dense(const Access& access, const std::vector<RawEntry>& entries,
                                 std::uint64_t data_bytes) {
  std::uint64_t end = 0;
  for (const RawEntry& entry : entries) {
    if (static_cast<std::uint64_t>((*entry.offsets)[0]) != end) {
      refuse_offsets(access, entry, "there is a hole or an overlap before a tensor", end,
                     "each tensor starts where the one before it ends");
    }
    end += bytes_of(*entry.type);
    if (end > data_bytes || static_cast<std::uint64_t>((*entry.offsets)[1]) != end) {
      refuse_offsets(access, entry, "the size of a tensor does not match its elements", end,
                     "offsets lie in the file and span the size of dtype and shape");
    }
  }
  if (end == data_bytes) return;
  refuse(access, {.what = "the file has bytes after the last tensor",
                  .facts = {{"tensors", text(end, " bytes")}, {"data", text(data_bytes, " bytes")}},
                  .rule = "tensors fill the file after its header"});
}

SINTER_INLINE void require_utf8(const Access& access, std::string_view header) {
  const std::size_t valid = valid_utf8(header);
  if (valid == header.size()) return;
  refuse(access, {.what = "the header is not UTF-8",
                  .facts = {{"byte", text(valid)}},
                  .rule = "headers are JSON, which is UTF-8"});
}

}  // namespace detail

SINTER_INLINE SafetensorsHeader parse_safetensors_header(const Access& access,
                                                         std::string_view header,
                                                         std::uint64_t data_bytes) {
  detail::require_utf8(access, header);
  Scanner scanner(access, "the header", header);
  std::vector<detail::RawEntry> entries;
  SafetensorsHeader result;
  read_json_object(scanner, [&](const std::string& name) {
    scanner.within(name);
    if (name != detail::metadata_key) {
      entries.push_back(detail::read_entry(scanner, name));
    } else {
      read_json_object(scanner, [&](const std::string& key) {
        result.metadata[key] = read_json_string(scanner);
      });
    }
    scanner.within("");
  });
  scanner.end();
  entries = detail::in_order(std::move(entries));
  detail::require_whole(access, entries, 8 + header.size(), data_bytes);
  detail::require_dense(access, entries, data_bytes);
  for (detail::RawEntry& entry : entries) {
    result.entries.push_back({std::move(entry.name), *entry.type,
                              8 + header.size() + static_cast<std::uint64_t>((*entry.offsets)[0])});
  }
  return result;
}

SINTER_INLINE SafetensorsHeader read_safetensors_header(const InputFile& file) {
  std::uint64_t length = 0;
  if (file.size() >= sizeof(length)) file.read(0, &length, sizeof(length));
  const bool fits = file.size() >= sizeof(length) && length <= file.size() - sizeof(length);
  const bool is_header = fits && length >= 2 && length <= detail::max_header_bytes &&
                         file.read(sizeof(length), 1) == "{";
  if (!is_header) {
    detail::refuse_other_formats(file);
    const bool is_cut = file.size() > sizeof(length) && !fits &&
                        length <= detail::max_header_bytes && file.read(sizeof(length), 1) == "{";
    if (is_cut) detail::refuse_cut(file.access(), file.size(), sizeof(length) + length);
    refuse(
        file.access(),
        {.what = "this is not a safetensors file",
         .facts = {{"size", detail::text(file.size())}, {"header", detail::text(length, " bytes")}},
         .rule = detail::text("the first 8 bytes are the length of the header, which is in the "
                              "file, at most ",
                              detail::max_header_bytes, ", and starts with {")});
  }
  return parse_safetensors_header(file.access(), file.read(sizeof(length), length),
                                  file.size() - sizeof(length) - length);
}

namespace detail {

[[noreturn]] SINTER_INLINE void throw_name(const Access& access, const std::string& name,
                                           std::string what, std::string rule, std::string fix) {
  throw ValueError({.op = access.op,
                    .what = what,
                    .facts = {{"file", shown(access.path)}, {"name", shown(name)}},
                    .rule = rule,
                    .fix = fix,
                    .where = access.where,
                    .see = "files"});
}

SINTER_INLINE void require_metadata(const Access& access, const Metadata& metadata) {
  for (const auto& [key, value] : metadata) {
    if (valid_utf8(key) == key.size() && valid_utf8(value) == value.size()) continue;
    throw_name(access, key, "a text of the metadata cannot be written", "texts are UTF-8",
               "write bytes as a tensor of u8");
  }
}

SINTER_INLINE void require_names(const Access& access, const NamedTensors& tensors) {
  std::set<std::string_view> names;
  for (const auto& [name, tensor] : tensors) {
    if (!tensor.defined()) {
      throw_name(access, name, "a tensor is not defined", "only tensors can be written",
                 "leave it out");
    }
    if (valid_utf8(name) != name.size() || name == metadata_key) {
      throw_name(access, name, "a name cannot be written",
                 text("names are UTF-8, and not ", metadata_key), "choose another name");
    }
    if (!names.insert(name).second) {
      throw_name(access, name, "two tensors have one name", "names are unique",
                 "dots join names: rename the member, or the key of the map, that has one");
    }
  }
}

SINTER_INLINE std::string metadata_text(const Metadata& metadata) {
  std::string result;
  for (const auto& [key, value] : metadata) {
    result += text(result.empty() ? "" : ",", json_string(key), ":", json_string(value));
  }
  return text(json_string(metadata_key), ":{", result, "}");
}

// The header prefixed by its length, padded with spaces so that elements are aligned to 8 bytes.
SINTER_INLINE std::string header_of(const NamedTensors& tensors, const Metadata& metadata,
                                    Where where) {
  std::string result = metadata.empty() ? "" : metadata_text(metadata);
  std::uint64_t offset = 0;
  for (const auto& [name, tensor] : tensors) {
    const sinter::detail::TensorType& type = tensor.type();
    const std::uint64_t end = offset + bytes_of(type, where);
    std::string shape;
    for (const Extent& extent : type.shape) {
      shape += text(shape.empty() ? "" : ",", extent.value(where));
    }
    result += text(result.empty() ? "" : ",", json_string(name), R"(:{"dtype":")",
                   safetensors_dtypes[static_cast<std::size_t>(type.dtype)], R"(","shape":[)",
                   shape, R"(],"data_offsets":[)", offset, ",", end, "]}");
    offset = end;
  }
  result = text("{", result, "}");
  result.resize((result.size() + 7) / 8 * 8, ' ');
  const std::uint64_t length = result.size();
  std::string prefix(sizeof(length), '\0');
  std::memcpy(prefix.data(), &length, sizeof(length));
  return prefix + result;
}

}  // namespace detail

SINTER_INLINE void write_safetensors(OutputFile& file, NamedTensors tensors,
                                     const Metadata& metadata) {
  detail::require_names(file.access(), tensors);
  detail::require_metadata(file.access(), metadata);
  for (const auto& [name, tensor] : tensors)
    sinter::detail::elements_of(tensor, file.access().where);
  std::stable_sort(tensors.begin(), tensors.end(), [](const auto& a, const auto& b) {
    using sinter::detail::info;
    return info(a.second.dtype()).size > info(b.second.dtype()).size;
  });
  file.write(detail::header_of(tensors, metadata, file.access().where));
  for (const auto& [name, tensor] : tensors) write_elements(file, tensor);
}

SINTER_INLINE void save_tensors(const std::string& path,
                                const std::map<std::string, Tensor>& tensors,
                                const Metadata& metadata, Where where) {
  OutputFile file({"io::save_tensors", path, where});
  write_safetensors(file, {tensors.begin(), tensors.end()}, metadata);
  file.commit();
}

SINTER_INLINE std::map<std::string, Tensor> load_tensors(const std::string& path, Where where) {
  const InputFile file({"io::load_tensors", path, where});
  std::map<std::string, Tensor> result;
  for (const SafetensorsEntry& entry : read_safetensors_header(file).entries) {
    result[entry.name] = read_elements(file, entry.name, entry.offset, entry.type);
  }
  return result;
}

SINTER_INLINE Metadata load_metadata(const std::string& path, Where where) {
  return read_safetensors_header(InputFile({"io::load_metadata", path, where})).metadata;
}

}  // namespace sinter::inline SINTER_ABI::io
