#pragma once

#include <algorithm>  // std::any_of

#include <sinter/graph/print.hpp>
#include <sinter/guard/guard.hpp>
#include <sinter/symbol/evaluate.hpp>
#include <sinter/symbol/extent_text.hpp>
#include <sinter/trace/extract.hpp>

namespace sinter::inline SINTER_ABI::guard {

namespace detail {

inline const TensorType& type_of(const Leaf& leaf) {
  return leaf.tensor->lazy()->node.results[leaf.tensor->result()];
}

SINTER_INLINE bool fits(const SymbolInfo& known, std::int64_t size) {
  return size >= known.min && size <= known.max && size % known.multiple_of == 0;
}

// Reads the sizes of the symbols. False if one is outside of its range.
SINTER_INLINE bool bind(const Guard& guard, std::span<const Leaf> leaves,
                        std::span<std::int64_t> symbols) {
  for (std::size_t i = 0; i < guard.symbols.size(); ++i) {
    const SymbolSource& source = guard.symbols[i];
    if (source.leaf < 0) continue;  // replaced by a number or by other symbols
    const Leaf& leaf = leaves[static_cast<std::size_t>(source.leaf)];
    symbols[i] = type_of(leaf).shape[source.dim].number();
    if (!fits(source.symbol.symbol_info(), symbols[i])) return false;
  }
  return true;
}

SINTER_INLINE bool same_size(Extent expected, Extent found, std::span<const std::int64_t> symbols) {
  if (expected.is_number()) return same(expected, found);
  if (expected.is_symbol()) return symbols[expected.id()] == found.number();
  return evaluate(expected, symbols) == found.number();
}

SINTER_INLINE bool same_kind(const LeafGuard& expected, const TensorType& found) {
  return expected.dtype == found.dtype && expected.shape.size() == found.shape.size();
}

SINTER_INLINE bool holds_in(const Assumption& assumption, std::span<const std::int64_t> symbols) {
  return holds(evaluate(assumption.lhs, symbols), assumption.relation,
               evaluate(assumption.rhs, symbols));
}

SINTER_INLINE std::string named(const Guard& guard, Extent extent) {
  return to_string(extent, [&guard](Extent variable) {
    const bool known = variable.is_symbol() && variable.id() < guard.symbols.size();
    return known ? guard.symbols[variable.id()].name : default_name(variable);
  });
}

SINTER_INLINE std::string to_words(const Guard& guard, const Assumption& assumption) {
  return text(named(guard, assumption.lhs), " ", to_string(assumption.relation), " ",
              named(guard, assumption.rhs));
}

SINTER_INLINE std::string range_in_words(const SymbolSource& source) {
  const SymbolInfo known = source.symbol.symbol_info();
  std::string result = text(known.min, " <= ", source.name);
  if (known.max != unbounded) result += text(" <= ", known.max);
  if (known.multiple_of != 1) result += text(", a multiple of ", known.multiple_of);
  return result;
}

}  // namespace detail

SINTER_INLINE bool matches(const Guard& guard, const Hash& structure, std::span<const Leaf> leaves,
                           std::span<std::int64_t> symbols) {
  if (guard.structure != structure || guard.leaves.size() != leaves.size()) return false;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (!detail::same_kind(guard.leaves[i], detail::type_of(leaves[i]))) return false;
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
                           std::span<const std::int64_t> symbols) {
  const TensorType& found = detail::type_of(leaf);
  if (!detail::same_kind(expected, found)) return false;
  for (int dim = 0; dim < found.shape.size(); ++dim) {
    if (!detail::same_size(expected.shape[dim], found.shape[dim], symbols)) return false;
  }
  return true;
}

namespace detail {

SINTER_INLINE Failure structure_failure(const Guard& guard, std::span<const std::string> names,
                                        std::span<const PlainValue> plain) {
  for (std::size_t i = 0; i < guard.plain.size() && i < plain.size(); ++i) {
    if (guard.plain[i] == plain[i]) continue;
    return {.leaf = plain[i].name,
            .expected = guard.plain[i].value,
            .found = plain[i].value,
            .fix = "make a number that varies a Scalar, which is an input"};
  }
  return {.leaf = "arguments",
          .expected = text(guard.leaves.size(), " tensors"),
          .found = text(names.size(), " tensors"),
          .fix = "pass arguments of one structure"};
}

SINTER_INLINE std::optional<Failure> size_failure(const Guard& guard, std::span<const Leaf> leaves,
                                                  std::span<const std::int64_t> symbols) {
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const Shape &expected = guard.leaves[i].shape, &found = type_of(leaves[i]).shape;
    for (int dim = 0; dim < found.size(); ++dim) {
      if (same_size(expected[dim], found[dim], symbols)) continue;
      return Failure{.leaf = guard.leaves[i].name,
                     .expected = text("size(", dim, ") == ", named(guard, expected[dim])),
                     .found = text(found[dim]),
                     .fix = text("mark_dynamic(x, ", dim, ") makes one recording serve all sizes")};
    }
  }
  return std::nullopt;
}

}  // namespace detail

SINTER_INLINE Failure first_failure(const Guard& guard, const Hash& structure,
                                    std::span<const Leaf> leaves,
                                    std::span<const std::string> names,
                                    std::span<const PlainValue> plain) {
  if (guard.structure != structure || guard.leaves.size() != leaves.size()) {
    return detail::structure_failure(guard, names, plain);
  }
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const TensorType& found = detail::type_of(leaves[i]);
    if (detail::same_kind(guard.leaves[i], found)) continue;
    return {.leaf = guard.leaves[i].name,
            .expected = text(guard.leaves[i].dtype, " of rank ", guard.leaves[i].shape.size()),
            .found = to_string(found),
            .fix = "pass tensors of one dtype and rank"};
  }
  std::vector<std::int64_t> symbols(guard.symbols.size());
  if (!detail::bind(guard, leaves, symbols)) {
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      const SymbolSource& source = guard.symbols[i];
      if (source.leaf < 0 || detail::fits(source.symbol.symbol_info(), symbols[i])) continue;
      return {.leaf = source.name,
              .expected = detail::range_in_words(source),
              .found = text(symbols[i]),
              .fix = "widen the range of mark_dynamic; sizes 0 and 1 are apart unless marked"};
    }
  }
  if (auto failure = detail::size_failure(guard, leaves, symbols)) return *failure;
  for (const Assumption& assumption : guard.assumptions) {
    if (detail::holds_in(assumption, symbols)) continue;
    return {.leaf = "sizes",
            .expected = detail::to_words(guard, assumption),
            .found = "not so",
            .fix = "compare no sizes in the function",
            .where = assumption.where};
  }
  return {.leaf = "arguments", .expected = "what was recorded", .found = "something else"};
}

SINTER_INLINE std::string to_string(const Failure& failure) {
  std::string result =
      text(failure.leaf, ": expected ", failure.expected, ", found ", failure.found);
  if (failure.where.line() != 0) result += text(", assumed at ", sinter::to_string(failure.where));
  return failure.fix.empty() ? result : text(result, "; ", failure.fix);
}

SINTER_INLINE std::vector<std::string> describe(const Guard& guard) {
  std::vector<std::string> result;
  for (const LeafGuard& leaf : guard.leaves) {
    std::string shape;
    for (const Extent& extent : leaf.shape) {
      shape += text(shape.empty() ? "" : ", ", detail::named(guard, extent));
    }
    result.push_back(text(leaf.name, " is ", leaf.dtype, "[", shape, "]"));
  }
  for (const PlainValue& value : guard.plain) {
    result.push_back(text(value.name, " is ", value.value));
  }
  for (const SymbolSource& source : guard.symbols) {
    if (source.leaf >= 0) result.push_back(detail::range_in_words(source));
  }
  for (const Assumption& assumption : guard.assumptions) {
    std::string line = detail::to_words(guard, assumption);
    if (assumption.where.line() != 0) {
      line += text(", assumed at ", sinter::to_string(assumption.where));
    }
    result.push_back(std::move(line));
  }
  return result;
}

namespace detail {

// A symbol that turned out to be other symbols: its own range was relied upon before.
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

}  // namespace detail

SINTER_INLINE Guard make_guard(const Recorder& recorder, std::span<const TensorType> types,
                               std::vector<std::string> names) {
  Guard guard;
  for (const SizeSymbol& symbol : recorder.symbols()) {
    guard.symbols.push_back({symbol.symbol, -1, 0, symbol.name});
  }
  for (std::size_t i = 0; i < types.size(); ++i) {
    const Shape shape = recorder.resolve(types[i].shape);
    for (int dim = 0; dim < shape.size(); ++dim) {
      if (!shape[dim].is_symbol()) continue;
      SymbolSource& source = guard.symbols[shape[dim].id()];
      if (source.leaf < 0) source.leaf = static_cast<std::int32_t>(i), source.dim = dim;
    }
    guard.leaves.push_back({std::move(names[i]), types[i].dtype, shape});
  }
  const bool any = std::any_of(guard.symbols.begin(), guard.symbols.end(),
                               [](const SymbolSource& source) { return source.leaf >= 0; });
  if (!any) guard.symbols.clear();
  guard.assumptions = recorder.assumptions();
  for (const SizeSymbol& symbol : recorder.symbols()) detail::keep_range(recorder, symbol, guard);
  return guard;
}

}  // namespace sinter::inline SINTER_ABI::guard
