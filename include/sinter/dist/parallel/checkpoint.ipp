#pragma once

#include <cstring>    // std::memcpy
#include <exception>  // std::exception_ptr

#include <sinter/base/hash.hpp>
#include <sinter/dist/parallel/checkpoint.hpp>
#include <sinter/trace/context/division.hpp>
#include <sinter/trace/context/division_hooks.hpp>
#include <sinter/trace/core/evaluate.hpp>
#include <sinter/trace/ops/creation/create.hpp>

namespace sinter::inline SINTER_ABI::detail {

// The part of a tensor of an optimizer's state, which has no division of its own: its name ends
// with that of its parameter, and its size is that of the part.
SINTER_INLINE const io::detail::StatePart* part_by_name(
    const io::detail::StateSlot& slot, const std::map<std::string, io::detail::StatePart>& parts) {
  const io::detail::StatePart* result = nullptr;
  std::size_t longest = 0;
  for (const auto& [name, part] : parts) {
    const Division division{.ranks = static_cast<std::int32_t>(part.ranks),
                            .shape = Vector<std::int64_t>(part.shape.begin(), part.shape.end())};
    const bool fits = slot.name.ends_with(text(".", name)) && name.size() > longest;
    if (!fits || !is_part(*slot.tensor, division)) continue;
    longest = name.size();
    result = &part;
  }
  return result;
}

SINTER_INLINE void DividedState::find_parts(std::string_view op, Where where) {
  for (io::detail::StateSlot& slot : state.slots) {
    const Division* const division = division_of(*slot.tensor);
    if (division == nullptr) continue;
    io::detail::StatePart part{
        .shape = std::vector<std::int64_t>(division->shape.begin(), division->shape.end()),
        .rank = division->rank,
        .ranks = division->ranks};
    group = division->group;
    const auto [known, is_new] = parts.emplace(division->name, part);
    if (!is_new && known->second.shape != part.shape) {
      throw ValueError({.op = op,
                        .what = "two sharded models have a parameter of the same name",
                        .facts = {{"parameter", division->name}},
                        .rule = "the state of an optimizer is found by the name of the parameter",
                        .fix = "save each model with its optimizer to a folder of its own",
                        .where = where,
                        .see = "distributed"});
    }
    if (division->level == Division::Level::parameters) slot.part = std::move(part);
  }
  for (io::detail::StateSlot& slot : state.slots) {
    if (!slot.tensor->defined() || division_of(*slot.tensor) != nullptr) continue;
    if (const auto* const part = part_by_name(slot, parts)) slot.part = *part;
  }
  for (io::detail::StateContainer& container : state.containers) container.parts = &parts;
}

// Tells all ranks whether one of them has failed at something that it does alone.
class Agreement {
 public:
  Agreement(const io::Access& access, dist::Group group) : access_(access), group_(group) {}

  template <class Body>
  void attempt(Body body) {
    try {
      body();
    } catch (...) {
      own_ = std::current_exception();
    }
  }

  // Throws on all ranks if an attempt has failed on one.
  void require() {
    const Where where = access_.where;
    const std::int64_t failed = own_ ? group_.rank(where) : -1;
    const Tensor last =
        dist::all_reduce({full({}, {failed, where}, i64), where}, dist::Reduce::max, group_);
    const auto rank = last.item<std::int64_t>(where);
    if (own_) std::rethrow_exception(std::exchange(own_, nullptr));
    if (rank < 0) return;
    io::refuse(access_, {.what = "another rank could not read or write its files",
                         .facts = {{"rank", text(rank)}},
                         .rule = "all ranks can read and write the folder",
                         .fix = "see the error of that rank; nothing has been changed"});
  }

 private:
  const io::Access& access_;
  dist::Group group_;
  std::exception_ptr own_{};
};

SINTER_INLINE std::int64_t hash_of_elements(const Tensor& x, Where where) {
  const auto* const bytes = static_cast<const unsigned char*>(host_elements_of(x, where));
  const std::size_t size = io::bytes_of(x.type(), where);
  Hasher hasher;
  std::uint64_t word = 0;
  std::size_t at = 0;
  for (; at + sizeof(word) <= size; at += sizeof(word)) {
    std::memcpy(&word, bytes + at, sizeof(word));
    hasher.add(word);
  }
  for (; at < size; ++at) hasher.add(static_cast<std::uint64_t>(bytes[at]));
  return static_cast<std::int64_t>(hasher.result().low);
}

// Throws on all ranks unless the tensors that are not divided are equal on all of them.
SINTER_INLINE void require_same_values(const io::Access& access, const io::detail::State& state,
                                       dist::Group group) {
  const Where where = access.where;
  std::vector<std::int64_t> hashes;
  std::vector<std::string> names;
  for (const io::detail::StateSlot& slot : state.slots) {
    if (!slot.tensor->defined() || slot.part.ranks > 0) continue;
    hashes.push_back(hash_of_elements(*slot.tensor, where));
    names.push_back(slot.name);
  }
  const auto count = static_cast<std::int64_t>(hashes.size());
  const Tensor own = from_vector(hashes, {count}, where);
  const auto found = dist::all_gather({own, where}, 0, group).to_vector<std::int64_t>(where);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t slot = i % hashes.size();
    if (found[i] == found[slot]) continue;
    throw ValueError({.op = access.op,
                      .what = "ranks have different values of a tensor",
                      .facts = {{"name", names[slot]},
                                {"ranks", text("0 and ", i / hashes.size())},
                                {"folder", access.path}},
                      .rule = "all ranks have the same state, except what dist::shard() divides",
                      .fix = "start with dist::broadcast(model), reduce all gradients and use one "
                             "random seed; of a divided layer save its whole()",
                      .where = where,
                      .see = "distributed"});
  }
}

// The tensors that this rank writes, whole.
SINTER_INLINE io::NamedTensors own_wholes(const DividedState& state, dist::Group group,
                                          Where where) {
  const int rank = group.rank(where);
  const std::vector<int> owner = io::detail::owners(state.state, group.size(where), where);
  io::NamedTensors result;
  for (std::size_t i = 0; i < state.state.slots.size(); ++i) {
    const io::detail::StateSlot& slot = state.state.slots[i];
    if (!slot.tensor->defined()) continue;
    Tensor whole = *slot.tensor;
    if (slot.part.ranks > 0) {
      const Division division{
          .group = state.group,
          .ranks = static_cast<std::int32_t>(slot.part.ranks),
          .shape = Vector<std::int64_t>(slot.part.shape.begin(), slot.part.shape.end())};
      whole = division_hooks.whole(whole, division, where);
      evaluate(whole, where);
    }
    if (owner[i] == rank) result.emplace_back(slot.name, std::move(whole));
  }
  return result;
}

SINTER_INLINE void save_of_ranks(const io::Access& access, DividedState& state, dist::Group group) {
  const Where where = access.where;
  io::detail::require_no_recording(access);
  Agreement agreement(access, group);
  const int rank = group.rank(where), ranks = group.size(where);
  std::int64_t save = 0;
  agreement.attempt([&] {
    if (rank != 0) return;
    io::detail::make_folder(access);
    save = io::detail::next_save(access);
  });
  agreement.require();
  save = dist::broadcast({full({}, {save, where}, i64), where}, 0, group).item<std::int64_t>(where);
  require_same_values(access, state.state, group);
  io::NamedTensors tensors = own_wholes(state, group, where);
  agreement.attempt([&] {
    io::detail::save_shard(access, std::move(tensors),
                           io::detail::hash_of_state(state.state, where), {rank, ranks}, save);
  });
  agreement.require();
  agreement.attempt([&] {
    if (rank == 0) io::commit_sharded(access.path, ranks, where);
  });
  agreement.require();
}

SINTER_INLINE io::LoadResult load_of_ranks(const io::Access& access, DividedState& state,
                                           const io::LoadOptions& options, dist::Group group) {
  Agreement agreement(access, group);
  std::vector<Tensor> before;
  for (const io::detail::StateSlot& slot : state.state.slots) before.push_back(*slot.tensor);
  io::LoadResult result;
  agreement.attempt([&] { result = io::detail::load_sharded_state(access, state.state, options); });
  try {
    agreement.require();
  } catch (...) {
    for (std::size_t i = 0; i < before.size(); ++i) *state.state.slots[i].tensor = before[i];
    for (const io::detail::StateContainer& container : state.state.containers) {
      container.fill(container.container, {});
    }
    throw;
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail
