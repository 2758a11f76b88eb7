#pragma once

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/error.hpp>
#include <sinter/jit/record/size_symbols.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

SINTER_INLINE const Mark* mark_of(const Tensor& tensor, int dim) {
  const Marks* const marks = tensor.marks();
  if (marks == nullptr) return nullptr;
  const auto mark = find_if(*marks, [dim](const Mark& candidate) { return candidate.dim == dim; });
  return mark == marks->end() ? nullptr : &*mark;
}

}  // namespace detail

SINTER_INLINE Extent SizeSymbols::named_symbol(const std::string& name, std::int64_t hint,
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

SINTER_INLINE Extent SizeSymbols::size_of(const guard::Leaf& real, std::size_t leaf, int dim) {
  if (options_.dynamic != Dynamic::off && real.dims != nullptr && real.dims[dim].size < 0 &&
      real.dims[dim].name[0] != 0) {
    return named_symbol(real.dims[dim].name, real.tensor->shape()[dim].number(), {}, {});
  }
  return size_of(*real.tensor, leaf, dim, real.is_parameter);
}

SINTER_INLINE Extent SizeSymbols::size_of(const Tensor& real, std::size_t leaf, int dim,
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

SINTER_INLINE guard::SizeReason SizeSymbols::reason_of(const guard::Leaf& leaf, int dim) const {
  using Kind = guard::SizeReason::Kind;
  if (options_.dynamic == Dynamic::off) return {Kind::off, {}};
  const Mark* const mark = detail::mark_of(*leaf.tensor, dim);
  if (mark != nullptr && mark->kind == Mark::Kind::fixed) return {Kind::marked_static, mark->where};
  return {};
}

SINTER_INLINE void SizeSymbols::throw_other_size(const std::string& name, std::int64_t size,
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
