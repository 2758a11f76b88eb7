#pragma once

#include <string>       // std::string
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/base/container/vector.hpp>
#include <sinter/compile/cache/varying_sizes.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/jit/state/size_history.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

SINTER_INLINE Hash varying_key(Where where, std::string_view name, Span<const guard::Leaf> leaves) {
  std::vector<std::string> words;
  for (const guard::Leaf& leaf : leaves) {
    const TensorType& type = leaf.tensor->type();
    words.push_back(text(type.dtype, " ", type.shape.size()));
  }
  return compiler::function_key(where, name, words);
}

SINTER_INLINE Varying varying_before(const Hash& key) {
  Varying result;
  for (const compiler::VaryingSize& size : compiler::known_varying(key)) {
    result.insert({size.leaf, static_cast<int>(size.dim)});
  }
  return result;
}

SINTER_INLINE void keep_for_later(const Hash& key, const Varying& varying) {
  Vector<compiler::VaryingSize> sizes;
  for (const auto& [leaf, dim] : varying) {
    sizes.push_back({static_cast<std::uint32_t>(leaf), static_cast<std::uint32_t>(dim)});
  }
  compiler::remember_varying(key, sizes);
}

namespace detail {

inline constexpr std::int64_t varying_size = -1;
// Bounds the memory for programs that use sizes in long loops.
inline constexpr std::size_t max_program_sizes = 1 << 16;

SINTER_INLINE Hash key_of_sizes(const CallSignature& call, bool may_vary) {
  Hasher hasher;
  hasher.add(call.structure);
  for (const guard::Leaf& leaf : call.leaves.list) {
    const TensorType& type = leaf.tensor->type();
    hasher.add(static_cast<std::uint64_t>(type.dtype));
    hasher.add(static_cast<std::uint64_t>(type.shape.size()));
    const Device device = leaf.tensor->lazy()->device();
    if (device.is_cuda()) hasher.add(to_string(device));
    for (const Extent& extent : type.shape) {
      const std::int64_t size = extent.number();
      hasher.add(static_cast<std::uint64_t>(may_vary && size > 1 ? 2 : size));
    }
  }
  return hasher.result();
}

}  // namespace detail

SINTER_INLINE bool SizeHistory::varies(const SizePlace& place, std::int64_t number, bool notes) {
  const auto known = program_sizes_.find(place);
  if (known == program_sizes_.end()) {
    const bool fits = program_sizes_.size() < detail::max_program_sizes;
    if (notes && fits) program_sizes_.emplace(place, number);
    return false;
  }
  if (notes && known->second != number) known->second = detail::varying_size;
  return known->second == detail::varying_size;
}

SINTER_INLINE Varying SizeHistory::varying(Span<const guard::Leaf> leaves, OnMiss on_miss) {
  SeenSizes& seen = seen_[leaves.size()];
  if (on_miss != OnMiss::compile) return seen.varying;
  const bool is_first = seen.types.empty(), is_cached = dynamic_ == Dynamic::automatic;
  if (is_first && is_cached) {
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

// Updates this process as well: another model may start without the state.
SINTER_INLINE void SizeHistory::keep_varying(const SeenSizes& seen) {
  if (dynamic_ == Dynamic::automatic) keep_for_later(seen.key, seen.varying);
  if (seen.before.empty()) return;
  SeenSizes& without = seen_[seen.leaves_before];
  const std::size_t known = without.varying.size();
  for (const auto& [leaf, dim] : seen.varying) {
    const std::int32_t before = leaf < seen.before.size() ? seen.before[leaf] : -1;
    if (before >= 0) without.varying.insert({static_cast<std::size_t>(before), dim});
  }
  if (without.varying.size() > known) keep_varying(without);
}

SINTER_INLINE void SizeHistory::note_created_state(Span<const guard::Leaf> leaves,
                                                   Span<const std::string> before,
                                                   Span<const std::string> now) {
  varying(leaves, OnMiss::compile);
  SortedMap<std::string_view, std::int32_t> known;
  for (const std::string& name : before) {
    known.emplace(name, static_cast<std::int32_t>(known.size()));
  }
  SeenSizes& seen = seen_[leaves.size()];
  if (!seen.before.empty() || before.size() == now.size()) return;
  seen.leaves_before = before.size();
  for (const std::string& name : now) {
    const auto leaf = known.find(name);
    seen.before.push_back(leaf == known.end() ? -1 : leaf->second);
  }
  if (!seen.varying.empty()) keep_varying(seen);
}

SINTER_INLINE const SharedPtr<const OutsideSizes>& SizeHistory::note_outside(std::size_t index,
                                                                             const Shape& shape) {
  auto sizes = make_shared_ptr<OutsideSizes>(*outside_);
  if (index >= sizes->shapes.size()) sizes->shapes.resize(index + 1, shape);
  const Shape& before = sizes->shapes[index];
  for (int dim = 0; before.size() == shape.size() && dim < shape.size(); ++dim) {
    if (!same(before[dim], shape[dim])) sizes->varying.insert({index, dim});
  }
  outside_ = std::move(sizes);
  return outside_;
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
