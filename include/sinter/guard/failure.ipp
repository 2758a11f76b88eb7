#pragma once

#include <algorithm>  // std::min

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/guard/failure.hpp>
#include <sinter/guard/guard.hpp>
#include <sinter/symbol/extent/node.hpp>
#include <sinter/symbol/extent/text.hpp>
#include <sinter/symbol/solve/evaluate.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::guard {

namespace detail {

// The name of a symbol; "size(0)" for "argument 0.size(0)" if `leaf` is "argument 0".
SINTER_INLINE std::string short_name(const std::string& name, std::string_view leaf) {
  const bool is_of_leaf = !leaf.empty() && name.size() > leaf.size() + 1 && name.starts_with(leaf);
  return is_of_leaf && name[leaf.size()] == '.' ? name.substr(leaf.size() + 1) : name;
}

SINTER_INLINE std::string named(const Guard& guard, Extent extent, std::string_view leaf = {}) {
  return to_string(extent, [&](Extent variable) {
    const bool known = variable.is_symbol() && variable.id() < guard.symbols.size();
    if (!known) return default_name(variable);
    return short_name(guard.symbols[variable.id()].name, leaf);
  });
}

SINTER_INLINE bool is_remainder(Extent extent) {
  return !extent.is_number() && extent.node()->kind == ExtentKind::mod;
}

// "size(0) > 8", "size(0) % 4 == 0"
SINTER_INLINE std::string assumption_text(const Guard& guard, const Assumption& assumption,
                                          std::string_view leaf = {}) {
  return text(named(guard, assumption.lhs, leaf), " ", to_string(assumption.relation), " ",
              named(guard, assumption.rhs, leaf));
}

SINTER_INLINE std::string range_text(const SymbolSource& source, std::string_view leaf = {}) {
  const SymbolInfo known = source.symbol.symbol_info();
  std::string result = text(known.min, " <= ", short_name(source.name, leaf));
  if (known.max != unbounded) result += text(" <= ", known.max);
  if (known.multiple_of != 1) result += text(", a multiple of ", known.multiple_of);
  return result;
}

SINTER_INLINE std::string fix_for(PlainValue::Kind kind) {
  switch (kind) {
    case PlainValue::Kind::number:
      return "make a number that varies a Scalar, which is an input";
    case PlainValue::Kind::choice:
      return "each choice has a recording of its own; where(condition, x, y) chooses in one";
    case PlainValue::Kind::text:
      return "each text has a recording of its own; keep what varies out of the arguments";
    case PlainValue::Kind::length:
      return "each length has a recording of its own; stack the elements into one tensor";
    case PlainValue::Kind::key:
      return "each set of keys has a recording of its own; keep the keys, and change the values";
    case PlainValue::Kind::setting:
      return "each setting has a recording of its own; make all calls in the scope of the first";
    case PlainValue::Kind::presence:
    case PlainValue::Kind::undefined:
      break;
  }
  return "each case has a recording of its own; pass a tensor in every call, zeros say, for one";
}

SINTER_INLINE std::string value_text(const PlainValue& value) {
  return value.kind == PlainValue::Kind::undefined ? "no tensor" : value.value;
}

// The first difference between the recorded plain values and those of the call. An undefined tensor
// occurs in one of the lists only.
SINTER_INLINE Optional<Failure> plain_failure(Span<const PlainValue> expected,
                                              Span<const PlainValue> found) {
  const std::size_t size = std::min(expected.size(), found.size());
  std::size_t i = 0;
  while (i < size && expected[i] == found[i]) ++i;
  if (i == expected.size() && i == found.size()) return std::nullopt;
  const auto is_undefined = [](Span<const PlainValue> list, std::size_t at) {
    return at < list.size() && list[at].kind == PlainValue::Kind::undefined;
  };
  if (i < size && expected[i].name == found[i].name) {
    return Failure{.leaf = found[i].name,
                   .expected = value_text(expected[i]),
                   .found = value_text(found[i]),
                   .fix = fix_for(found[i].kind)};
  }
  const bool is_gone = is_undefined(found, i);
  if (!is_gone && !is_undefined(expected, i)) return std::nullopt;
  return Failure{.leaf = is_gone ? found[i].name : expected[i].name,
                 .expected = is_gone ? "a tensor" : "no tensor",
                 .found = is_gone ? "no tensor" : "a tensor",
                 .fix = fix_for(PlainValue::Kind::undefined)};
}

SINTER_INLINE Failure structure_failure(const Guard& guard, Span<const std::string> names,
                                        Span<const PlainValue> plain) {
  if (auto failure = plain_failure(guard.plain, plain)) return *failure;
  if (guard.leaves.size() != names.size()) {
    return {.leaf = "arguments",
            .expected = quantity(guard.leaves.size(), "tensor"),
            .found = quantity(names.size(), "tensor"),
            .fix = "pass as many tensors in every call"};
  }
  return {.leaf = "arguments",
          .expected = "the types of the recording",
          .found = "other types",
          .fix = "pass arguments of the same C++ types, const where they were"};
}

SINTER_INLINE Failure kind_failure(const LeafGuard& expected, const Leaf& leaf) {
  const TensorType& found = type_of(leaf);
  if (expected.dtype != found.dtype && expected.shape.empty() && found.shape.empty()) {
    return {.leaf = expected.name,
            .expected = to_string(expected.dtype),
            .found = to_string(found.dtype),
            .fix =
                "pass one dtype in every call: a Scalar of 0.5f is f32, of 0.5 f64, of 1 i64; "
                "one that is assigned a number stays f32 or f64"};
  }
  if (expected.dtype != found.dtype) {
    return {.leaf = expected.name,
            .expected = to_string(expected.dtype),
            .found = to_string(found.dtype),
            .fix = text("pass one dtype in every call, converted with x.to(", expected.dtype, ")")};
  }
  if (!same_device(expected, leaf)) {
    const std::string fix = "each device has a recording of its own; x.to(device) moves a tensor";
    return {expected.name, to_string(expected.device), to_string(device_of(leaf)), fix};
  }
  return {.leaf = expected.name,
          .expected = text("rank ", expected.shape.size()),
          .found = text("rank ", found.shape.size(), ", ", found),
          .fix = "pass tensors of one rank; unsqueeze and flatten change it"};
}

// The leaf as the user would write it: "x", "x.cache.keys", "self.layers[3].weight".
SINTER_INLINE std::string user_spelling(std::string_view leaf) {
  std::string result;
  for (bool is_first = true; !leaf.empty(); is_first = false) {
    const std::string_view part = leaf.substr(0, leaf.find('.'));
    leaf.remove_prefix(std::min(part.size() + 1, leaf.size()));
    const bool is_index = part.find_first_not_of("0123456789") == std::string_view::npos;
    if (is_first) {
      result = part == "self" ? "self" : "x";
    } else {
      result += is_index ? text("[", part, "]") : text(".", part);
    }
  }
  return result;
}

SINTER_INLINE std::string fix_for(const SizeReason& reason, std::string_view leaf, Extent expected,
                                  int dim) {
  const std::string mark =
      text("mark_dynamic(", user_spelling(leaf), ", ", dim, ") makes one recording serve ");
  switch (reason.kind) {
    case SizeReason::Kind::needed:
      return expected.is_number()
                 ? "the program needs the number there; compute with x.size(dim) in its place"
                 : "the program needs the two to be equal there; pass equal sizes";
    case SizeReason::Kind::marked_static:
      return "mark_static made it static there; without that, one recording serves all sizes";
    case SizeReason::Kind::off:
      return "under Dynamic::off every size has a recording of its own; Dynamic::automatic makes "
             "one serve all sizes";
    case SizeReason::Kind::unmarked:
      break;
  }
  const bool is_small = same(expected, 0) || same(expected, 1);
  return is_small ? text("sizes 0 and 1 are specialized; ", mark, "them as well")
                  : text(mark, "all sizes");
}

SINTER_INLINE Optional<Failure> size_failure(const Guard& guard, Span<const Leaf> leaves,
                                             Span<const std::int64_t> symbols) {
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const LeafGuard& leaf = guard.leaves[i];
    const Shape& found = type_of(leaves[i]).shape;
    for (int dim = 0; dim < found.size(); ++dim) {
      const Extent expected = leaf.shape[dim];
      if (same_size(expected, found[dim], symbols)) continue;
      const auto at = static_cast<std::size_t>(dim);
      const SizeReason reason = at < leaf.reasons.size() ? leaf.reasons[at] : SizeReason();
      std::string number = text(found[dim]);
      if (!expected.is_number()) number += text(" and ", evaluate(expected, symbols));
      return Failure{.leaf = leaf.name,
                     .expected = text("size(", dim, ") == ", named(guard, expected, leaf.name)),
                     .found = number,
                     .fix = fix_for(reason, leaf.name, expected, dim),
                     .where = reason.where,
                     .path = reason.path};
    }
  }
  return std::nullopt;
}

SINTER_INLINE std::string leaf_of(const Guard& guard, const SymbolSource& source) {
  return source.leaf < 0 ? source.name : guard.leaves[static_cast<std::size_t>(source.leaf)].name;
}

SINTER_INLINE Optional<Failure> range_failure(const Guard& guard,
                                              Span<const std::int64_t> symbols) {
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    const SymbolSource& source = guard.symbols[i];
    if (source.leaf < 0 || fits(source.symbol.symbol_info(), symbols[i])) continue;
    const std::string leaf = leaf_of(guard, source);
    const std::string fix =
        source.marked.line() == 0
            ? text("sizes 0 and 1 are specialized; mark_dynamic(", user_spelling(leaf), ", ",
                   source.dim, ") makes one recording serve them as well")
            : text("the range is that of the mark at ", sinter::to_string(source.marked),
                   "; each range has a recording of its own");
    return Failure{
        .leaf = leaf, .expected = range_text(source, leaf), .found = text(symbols[i]), .fix = fix};
  }
  return std::nullopt;
}

SINTER_INLINE std::string fix_for(const Assumption& assumption) {
  if (assumption.where.line() == 0) {
    return "sizes 0 and 1 are specialized; mark_dynamic makes one recording serve them as well";
  }
  if (assumption.relation == Relation::equal && is_remainder(assumption.lhs)) {
    return "a size that is always divisible is marked with .multiple_of";
  }
  return "each answer to a comparison of sizes has a recording of its own; where(condition, x, y) "
         "chooses in one";
}

// The values of both sides in this call: "5", or "6 and 8"; for expressions followed by the values
// of their symbols.
SINTER_INLINE std::string sides_text(const Guard& guard, const Assumption& assumption,
                                     std::string_view leaf, Span<const std::int64_t> symbols) {
  std::string result = text(evaluate(assumption.lhs, symbols));
  if (!assumption.rhs.is_number()) result += text(" and ", evaluate(assumption.rhs, symbols));
  if (assumption.lhs.is_symbol()) return result;
  std::string parts;
  for (const Extent side : {assumption.lhs, assumption.rhs}) {
    for (const Extent variable : variables(side)) {
      const std::string part = text(named(guard, variable, leaf), " = ", symbols[variable.id()]);
      if (parts.find(part) == std::string::npos) parts += text(parts.empty() ? "" : ", ", part);
    }
  }
  return text(result, " (", parts, ")");
}

SINTER_INLINE Failure assumption_failure(const Guard& guard, const Assumption& assumption,
                                         Span<const std::int64_t> symbols) {
  std::vector<std::string> leaves;
  for (const Extent side : {assumption.lhs, assumption.rhs}) {
    for (const Extent variable : variables(side)) {
      const std::string leaf = leaf_of(guard, guard.symbols[variable.id()]);
      if (!contains(leaves, leaf)) leaves.push_back(leaf);
    }
  }
  std::string all;
  for (const std::string& leaf : leaves) all += text(all.empty() ? "" : ", ", leaf);
  const std::string_view one = leaves.size() == 1 ? std::string_view(leaves[0]) : "";
  return {.leaf = all,
          .expected = assumption_text(guard, assumption, one),
          .found = sides_text(guard, assumption, one, symbols),
          .fix = fix_for(assumption),
          .where = assumption.where,
          .path = assumption.path};
}

// The first condition of `guard` that the tensors of the call do not meet.
SINTER_INLINE Optional<Failure> tensor_failure(const Guard& guard, Span<const Leaf> leaves) {
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const LeafGuard& expected = guard.leaves[i];
    if (!same_kind(expected, leaves[i])) return kind_failure(expected, leaves[i]);
  }
  std::vector<std::int64_t> symbols(guard.symbols.size());
  if (!detail::bind(guard, leaves, symbols)) {
    if (auto failure = range_failure(guard, symbols)) return failure;
  }
  if (auto failure = size_failure(guard, leaves, symbols)) return failure;
  for (const Assumption& assumption : guard.assumptions) {
    if (!holds_in(assumption, symbols)) return assumption_failure(guard, assumption, symbols);
  }
  return std::nullopt;
}

}  // namespace detail

SINTER_INLINE Failure first_failure(const Guard& guard, const Hash& structure,
                                    Span<const Leaf> leaves, Span<const std::string> names,
                                    Span<const PlainValue> plain) {
  const bool has_structure = guard.structure == structure && guard.leaves.size() == leaves.size();
  // A floating number that differs becomes an input and causes no further recompile, so that a
  // difference between the tensors is reported first.
  const bool looks_at_tensors = has_structure || (guard.leaves.size() == leaves.size() &&
                                                  differ_in_numbers(guard.plain, plain));
  if (looks_at_tensors) {
    if (auto failure = detail::tensor_failure(guard, leaves)) return *failure;
  }
  if (!has_structure) return detail::structure_failure(guard, names, plain);
  return {.leaf = "arguments", .expected = "what was recorded", .found = "something else"};
}

SINTER_INLINE std::string assumed_at(const Failure& failure) {
  const bool has_path = failure.path != nullptr && !failure.path->empty();
  return text(sinter::to_string(failure.where), has_path ? text(", in ", *failure.path) : "");
}

SINTER_INLINE std::string to_string(const Failure& failure) {
  std::string result =
      text(failure.leaf, ": expected ", failure.expected, ", found ", failure.found);
  if (failure.where.line() != 0) result += text(", assumed at ", assumed_at(failure));
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
    if (source.leaf >= 0) result.push_back(detail::range_text(source));
  }
  for (const Assumption& assumption : guard.assumptions) {
    std::string line = detail::assumption_text(guard, assumption);
    const Where at = assumption.where;
    if (at.line() != 0) line += text(", assumed at ", sinter::to_string(at));
    result.push_back(std::move(line));
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::guard
