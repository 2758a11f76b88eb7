#pragma once

#include <algorithm>  // std::max, std::min

#include <sinter/base/container/algorithm.hpp>
#include <sinter/guard/guard.hpp>
#include <sinter/symbol/solve/evaluate.hpp>
#include <sinter/symbol/solve/variables.hpp>
#include <sinter/trace/core/extract.hpp>

namespace sinter::inline SINTER_ABI::detail::guard {

namespace detail {

SINTER_INLINE bool fits(const SymbolInfo& known, std::int64_t size) {
  return size >= known.min && size <= known.max && size % known.multiple_of == 0;
}

SINTER_INLINE bool bind(const Guard& guard, Span<const Leaf> leaves, Span<std::int64_t> symbols) {
  for (std::size_t i = 0; i < guard.symbols.size(); ++i) {
    const SymbolSource& source = guard.symbols[i];
    if (source.leaf < 0) continue;  // replaced by a number or by other symbols
    const Leaf& leaf = leaves[static_cast<std::size_t>(source.leaf)];
    symbols[i] = type_of(leaf).shape[source.dim].number();
    if (!fits(source.symbol.symbol_info(), symbols[i])) return false;
  }
  return true;
}

SINTER_INLINE bool same_size(Extent expected, Extent found, Span<const std::int64_t> symbols) {
  if (expected.is_number()) return same(expected, found);
  if (expected.is_symbol()) return symbols[expected.id()] == found.number();
  return evaluate(expected, symbols) == found.number();
}

SINTER_INLINE bool same_device(const LeafGuard& expected, const Leaf& leaf) {
  const Device found = device_of(leaf);
  return expected.device == found || (expected.may_be_on_host && found.is_cpu());
}

SINTER_INLINE bool same_kind(const LeafGuard& expected, const Leaf& leaf) {
  const TensorType& found = type_of(leaf);
  return expected.dtype == found.dtype && expected.shape.size() == found.shape.size() &&
         same_device(expected, leaf);
}

SINTER_INLINE bool holds_in(const Assumption& assumption, Span<const std::int64_t> symbols) {
  return holds(evaluate(assumption.lhs, symbols), assumption.relation,
               evaluate(assumption.rhs, symbols));
}

}  // namespace detail

SINTER_INLINE bool matches(const Guard& guard, const Hash& structure, Span<const Leaf> leaves,
                           Span<std::int64_t> symbols) {
  if (guard.structure != structure || guard.leaves.size() != leaves.size()) return false;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (!detail::same_kind(guard.leaves[i], leaves[i])) return false;
  }
  if (!guard.is_static() && !detail::bind(guard, leaves, symbols)) return false;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const Shape &expected = guard.leaves[i].shape, &found = detail::type_of(leaves[i]).shape;
    for (int dim = 0; dim < found.size(); ++dim) {
      if (!detail::same_size(expected[dim], found[dim], symbols)) return false;
    }
  }
  for (const Assumption& assumption : guard.assumptions) {
    if (!detail::holds_in(assumption, symbols)) return false;
  }
  return true;
}

SINTER_INLINE bool matches(const LeafGuard& expected, const Leaf& leaf,
                           Span<const std::int64_t> symbols) {
  const TensorType& found = detail::type_of(leaf);
  if (!detail::same_kind(expected, leaf)) return false;
  for (int dim = 0; dim < found.shape.size(); ++dim) {
    if (!detail::same_size(expected.shape[dim], found.shape[dim], symbols)) return false;
  }
  return true;
}

namespace detail {

// A different dtype, device, rank or plain value counts as this many sizes.
inline constexpr std::int64_t kind_distance = 1 << 20;

// The number of differences in dtype, device and rank.
SINTER_INLINE std::int64_t kind_mismatches(const LeafGuard& expected, const Leaf& leaf) {
  const TensorType& found = type_of(leaf);
  return (expected.dtype == found.dtype ? 0 : 1) + (same_device(expected, leaf) ? 0 : 1) +
         (expected.shape.size() == found.shape.size() ? 0 : 1);
}

SINTER_INLINE std::int64_t value_mismatches(Span<const PlainValue> expected,
                                            Span<const PlainValue> found) {
  const std::size_t size = std::min(expected.size(), found.size());
  auto result = static_cast<std::int64_t>(std::max(expected.size(), found.size()) - size);
  for (std::size_t i = 0; i < size; ++i) result += expected[i] == found[i] ? 0 : 1;
  return result;
}

// The number of different sizes and violated assumptions.
SINTER_INLINE std::int64_t size_mismatches(const Guard& guard, Span<const Leaf> leaves) {
  std::vector<std::int64_t> symbols(guard.symbols.size());
  if (!detail::bind(guard, leaves, symbols)) return 1;
  std::int64_t result = 0;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const Shape &expected = guard.leaves[i].shape, &found = type_of(leaves[i]).shape;
    for (int dim = 0; dim < found.size(); ++dim) {
      result += same_size(expected[dim], found[dim], symbols) ? 0 : 1;
    }
  }
  for (const Assumption& assumption : guard.assumptions) {
    result += holds_in(assumption, symbols) ? 0 : 1;
  }
  return result;
}

}  // namespace detail

SINTER_INLINE std::int64_t distance(const Guard& guard, const Hash& structure,
                                    Span<const Leaf> leaves, Span<const PlainValue> plain) {
  std::int64_t kinds = 0;
  if (guard.structure != structure) {
    kinds += std::max<std::int64_t>(detail::value_mismatches(guard.plain, plain), 1);
  }
  const std::size_t size = std::min(guard.leaves.size(), leaves.size());
  kinds += static_cast<std::int64_t>(std::max(guard.leaves.size(), leaves.size()) - size);
  for (std::size_t i = 0; i < size; ++i)
    kinds += detail::kind_mismatches(guard.leaves[i], leaves[i]);
  return kinds != 0 ? kinds * detail::kind_distance : detail::size_mismatches(guard, leaves);
}

SINTER_INLINE bool differ_in_numbers(Span<const PlainValue> before, Span<const PlainValue> now) {
  if (before.size() != now.size()) return false;
  bool result = false;
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (before[i] == now[i]) continue;
    if (!now[i].is_floating || !before[i].is_floating || before[i].name != now[i].name)
      return false;
    result = true;
  }
  return result;
}

namespace detail {

// If a symbol was replaced by an expression of other symbols, guards its range, on which the
// recording relied before.
SINTER_INLINE void keep_range(const Recorder& recorder, const SizeSymbol& symbol, Guard& guard) {
  const Extent value = recorder.resolve(symbol.value);
  if (value.is_number() || same(value, symbol.symbol)) return;
  const SymbolInfo known = symbol.symbol.symbol_info();
  const auto assume = [&](Extent lhs, Relation relation, std::int64_t rhs) {
    guard.assumptions.push_back({lhs, rhs, relation, symbol.marked});
  };
  if (known.min > 0) assume(value, Relation::greater_equal, known.min);
  if (known.max != unbounded) assume(value, Relation::less_equal, known.max);
  if (known.multiple_of != 1) assume(value % known.multiple_of, Relation::equal, 0);
}

// Why a size became a number. If it was unified with other symbols, the reason why those became
// numbers, because the equality alone does not require a number.
SINTER_INLINE SizeReason reason_of(const Recorder& recorder, Extent size) {
  if (!size.is_symbol()) return {};
  const SizeSymbol& symbol = recorder.symbols()[size.id()];
  if (symbol.decided.line() == 0) return {};
  const SizeReason own{SizeReason::Kind::needed, symbol.decided, symbol.path};
  if (symbol.found.is_number() || !recorder.resolve(size).is_number()) return own;
  SizeReason result{};
  for (const Extent variable : variables(symbol.found)) {
    const SizeReason other = reason_of(recorder, variable);
    if (other.kind == SizeReason::Kind::needed) result = other;
  }
  return result;
}

}  // namespace detail

SINTER_INLINE Guard make_guard(const Recorder& recorder, Span<const TensorType> types,
                               std::vector<std::string> names) {
  Guard guard;
  for (const SizeSymbol& symbol : recorder.symbols()) {
    guard.symbols.push_back({symbol.symbol, -1, 0, recorder.name_of(symbol), symbol.marked});
  }
  for (std::size_t i = 0; i < types.size(); ++i) {
    const Shape shape = recorder.resolve(types[i].shape);
    for (int dim = 0; dim < shape.size(); ++dim) {
      if (!shape[dim].is_symbol()) continue;
      SymbolSource& source = guard.symbols[shape[dim].id()];
      const bool is_direct = same(shape[dim], types[i].shape[dim]);
      if (source.leaf >= 0 && (source.is_direct || !is_direct)) continue;
      source.leaf = static_cast<std::int32_t>(i), source.dim = dim;
      source.is_direct = is_direct;
    }
    guard.leaves.push_back({.name = std::move(names[i]), .dtype = types[i].dtype, .shape = shape});
    for (const Extent& size : types[i].shape) {
      guard.leaves.back().reasons.push_back(detail::reason_of(recorder, size));
    }
  }
  const bool any =
      any_of(guard.symbols, [](const SymbolSource& source) { return source.leaf >= 0; });
  if (!any) guard.symbols.clear();
  guard.assumptions = recorder.assumptions();
  for (const SizeSymbol& symbol : recorder.symbols()) detail::keep_range(recorder, symbol, guard);
  return guard;
}

}  // namespace sinter::inline SINTER_ABI::detail::guard
