#pragma once

#include <algorithm>  // std::find_if

#include <sinter/jit/recording.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

SINTER_INLINE const Mark* mark_of(const Tensor& tensor, int dim) {
  const Marks* const marks = tensor.marks();
  if (marks == nullptr) return nullptr;
  const auto mark = std::find_if(marks->begin(), marks->end(),
                                 [dim](const Mark& candidate) { return candidate.dim == dim; });
  return mark == marks->end() ? nullptr : &*mark;
}

}  // namespace detail

SINTER_INLINE bool RecordingSession::has_small_marked_size() const {
  for (const guard::Leaf& leaf : real_.list) {
    const Marks* const marks = leaf.tensor->marks();
    if (marks == nullptr) continue;
    for (const Mark& mark : *marks) {
      const bool is_small = leaf.tensor->shape()[mark.dim].number() < 2;
      if (mark.kind == Mark::Kind::dynamic && is_small) return true;
    }
  }
  return false;
}

SINTER_INLINE Extent RecordingSession::named_symbol(const std::string& name, std::int64_t hint,
                                                    const SymbolInfo& known, Where where) {
  const auto entry = named_.find(name);
  if (entry != named_.end()) {
    const std::int64_t size = recorder_.hint(entry->second);
    if (size != hint) throw_other_size(name, hint, size);
    return entry->second;
  }
  const Extent symbol = recorder_.symbol(known, hint, Freedom::marked, name, where);
  named_.emplace(name, symbol);
  return symbol;
}

SINTER_INLINE Extent RecordingSession::size_of(std::size_t leaf, int dim) {
  const guard::Leaf& real = real_.list[leaf];
  if (options_.dynamic != Dynamic::off && real.dims != nullptr && real.dims[dim].size < 0 &&
      real.dims[dim].name[0] != 0) {
    return named_symbol(real.dims[dim].name, real.tensor->shape()[dim].number(), {}, {});
  }
  return size_of(*real.tensor, leaf, dim, real.is_parameter);
}

SINTER_INLINE Extent RecordingSession::size_of(const Tensor& real, std::size_t leaf, int dim,
                                               bool is_parameter) {
  const Extent size = real.shape()[dim];
  if (options_.dynamic == Dynamic::off) return size;
  const std::int64_t hint = size.number();
  const auto symbol = [&](const SymbolInfo& known, Freedom freedom, Where marked) {
    return recorder_.symbol_of_leaf(known, hint, freedom, static_cast<std::int32_t>(leaf), dim,
                                    marked);
  };
  if (const Mark* const mark = detail::mark_of(real, dim)) {
    if (mark->kind == Mark::Kind::fixed) return size;
    const SymbolInfo known{mark->range.min, mark->range.max, mark->range.multiple_of};
    const bool firm = mark->kind == Mark::Kind::dynamic;
    return symbol(known, firm ? Freedom::marked : Freedom::automatic, mark->where);
  }
  if (hint < 2 && (is_parameter || !small_sizes_follow_)) return size;
  const bool is_on = options_.dynamic == Dynamic::on && !is_parameter;
  const bool varies = hint > 1 && (is_on || varying_.count({leaf, dim}) != 0);
  if (is_parameter && !varies) return size;
  return varies ? symbol({.min = 2}, Freedom::automatic, {}) : symbol({}, Freedom::fixed, {});
}

// Why a size of `leaf` that is a number is one.
SINTER_INLINE guard::SizeReason RecordingSession::reason_of(const guard::Leaf& leaf,
                                                            int dim) const {
  using Kind = guard::SizeReason::Kind;
  if (options_.dynamic == Dynamic::off) return {Kind::off, {}};
  const Mark* const mark = detail::mark_of(*leaf.tensor, dim);
  if (mark != nullptr && mark->kind == Mark::Kind::fixed) return {Kind::marked_static, mark->where};
  return {};
}

SINTER_INLINE void RecordingSession::note_leaves(std::span<const Tensor> leaves,
                                                 guard::Guard& guard) const {
  detail::note_devices(leaves, guard);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const Lazy& lazy = *leaves[i].lazy();
    const bool is_argument =
        lazy.position < placeholders_.size() && placeholders_[lazy.position].lazy().get() == &lazy;
    if (!is_argument) continue;  // state that was created
    const Shape& shape = leaves[i].type().shape;
    for (int dim = 0; dim < shape.size(); ++dim) {
      if (!shape[dim].is_number()) continue;
      guard.leaves[i].reasons[static_cast<std::size_t>(dim)] =
          reason_of(real_.list[lazy.position], dim);
    }
  }
}

// Its leaves come after those of the arguments.
SINTER_INLINE TensorType RecordingSession::type_of_outside(const Tensor& outside,
                                                           std::size_t index) {
  TensorType type{outside.dtype(), {}};
  const std::size_t leaf = real_.list.size() + index;
  const bool follows = recorder_.has_free_sizes();  // else none of outside can turn out to be one
  for (int dim = 0; dim < outside.ndim(); ++dim) {
    type.shape.push_back(size_of(outside, leaf, dim, !follows));
  }
  return type;
}

SINTER_INLINE void RecordingSession::throw_other_size(const std::string& name, std::int64_t size,
                                                      std::int64_t other) const {
  throw ShapeError({.op = "compile",
                    .what = "dimensions of one name have different sizes",
                    .facts = {{"name", name}, {"sizes", text(other, " and ", size)}},
                    .rule = "a name is one size in all arguments of a call",
                    .fix = "pass tensors that agree, or give one of the dimensions another name",
                    .where = where_,
                    .see = "typed-tensors"});
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
