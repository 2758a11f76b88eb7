#pragma once
// Which sizes vary from call to call.

#include <map>          // std::map
#include <string_view>  // std::string_view

#include <sinter/jit/state.hpp>
#include <sinter/jit/varying.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {
inline constexpr std::int64_t varying_size = -1;
// Bounds the memory for programs that use sizes in long loops.
inline constexpr std::size_t most_program_sizes = 1 << 16;
}  // namespace detail

SINTER_INLINE bool State::varies(const SizePlace& place, std::int64_t number, bool notes) {
  const std::lock_guard lock(mutex_);
  const auto known = program_sizes_.find(place);
  if (known == program_sizes_.end()) {
    const bool fits = program_sizes_.size() < detail::most_program_sizes;
    if (notes && fits) program_sizes_.emplace(place, number);
    return false;
  }
  if (notes && known->second != number) known->second = detail::varying_size;
  return known->second == detail::varying_size;
}

SINTER_INLINE Varying State::varying(const CallSignature& call, OnMiss on_miss) {
  const std::vector<guard::Leaf>& leaves = call.leaves.list;
  const std::lock_guard lock(mutex_);
  SeenSizes& seen = seen_[leaves.size()];
  if (on_miss != OnMiss::compile) return seen.varying;
  const bool is_first = seen.types.empty(), is_kept = options_.dynamic == Dynamic::automatic;
  if (is_first && is_kept) {
    seen.key = varying_key(where_, name_, leaves);
    seen.varying = varying_before(seen.key);
  }
  const std::size_t known = seen.varying.size();
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const TensorType& type = leaves[i].tensor->type();
    if (is_first) seen.types.push_back(type);
    const Shape &before = seen.types[i].shape, &now = type.shape;
    if (before.size() != now.size()) continue;
    for (int dim = 0; dim < now.size(); ++dim) {
      if (!same(before[dim], now[dim])) seen.varying.insert({i, dim});
    }
  }
  if (seen.varying.size() > known) keep_varying(seen);
  return seen.varying;
}

// In this process as well: another model may begin without state.
SINTER_INLINE void State::keep_varying(const SeenSizes& seen) {
  if (options_.dynamic == Dynamic::automatic) keep_for_later(seen.key, seen.varying);
  if (seen.before.empty()) return;
  SeenSizes& without = seen_[seen.leaves_before];
  const std::size_t known = without.varying.size();
  for (const auto& [leaf, dim] : seen.varying) {
    const std::int32_t before = leaf < seen.before.size() ? seen.before[leaf] : -1;
    if (before >= 0) without.varying.insert({static_cast<std::size_t>(before), dim});
  }
  if (without.varying.size() > known) keep_varying(without);
}

SINTER_INLINE void State::note_created_state(const CallSignature& call,
                                             std::span<const std::string> before,
                                             std::span<const std::string> now) {
  varying(call, OnMiss::compile);
  std::map<std::string_view, std::int32_t> leaves;
  for (const std::string& name : before) {
    leaves.emplace(name, static_cast<std::int32_t>(leaves.size()));
  }
  const std::lock_guard lock(mutex_);
  SeenSizes& seen = seen_[call.leaves.list.size()];
  if (!seen.before.empty() || before.size() == now.size()) return;
  seen.leaves_before = before.size();
  for (const std::string& name : now) {
    const auto leaf = leaves.find(name);
    seen.before.push_back(leaf == leaves.end() ? -1 : leaf->second);
  }
  if (!seen.varying.empty()) keep_varying(seen);
}

SINTER_INLINE std::shared_ptr<const OutsideSizes> State::outside_sizes() {
  const std::lock_guard lock(mutex_);
  return outside_;
}

SINTER_INLINE std::shared_ptr<const OutsideSizes> State::note_outside(std::size_t index,
                                                                      const Shape& shape) {
  const std::lock_guard lock(mutex_);
  auto sizes = std::make_shared<OutsideSizes>(*outside_);
  if (index >= sizes->shapes.size()) sizes->shapes.resize(index + 1, shape);
  const Shape& before = sizes->shapes[index];
  for (int dim = 0; before.size() == shape.size() && dim < shape.size(); ++dim) {
    if (!same(before[dim], shape[dim])) sizes->varying.insert({index, dim});
  }
  outside_ = std::move(sizes);
  return outside_;
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
