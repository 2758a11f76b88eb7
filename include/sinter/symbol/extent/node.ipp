#pragma once

#include <algorithm>  // std::equal, std::min
#include <array>      // std::array
#include <mutex>      // std::mutex
#include <numeric>    // std::gcd

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/unique_ptr.hpp>
#include <sinter/base/error.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/symbol/extent/node.hpp>

namespace sinter::inline SINTER_ABI::detail {

constexpr std::uint64_t mix_bits(std::uint64_t seed, std::uint64_t word) {
  const std::uint64_t mixed = (seed ^ word) * 0x9e3779b97f4a7c15;
  return mixed ^ mixed >> 29;
}

// Of what identifies a node; the self-references of atoms are left out.
SINTER_INLINE std::uint64_t hash_of(const ExtentNode& node) {
  std::uint64_t hash = mix_bits(static_cast<std::uint64_t>(node.kind), node.id);
  hash = mix_bits(hash, static_cast<std::uint64_t>(node.known.min));
  hash = mix_bits(hash, static_cast<std::uint64_t>(node.known.max));
  hash = mix_bits(hash, static_cast<std::uint64_t>(node.known.multiple_of));
  hash = mix_bits(hash, static_cast<std::uint64_t>(node.constant));
  for (const Extent operand : node.operands) hash = mix_bits(hash, operand.bits());
  if (node.kind == ExtentKind::product) {
    for (const Extent factor : node.factors) hash = mix_bits(hash, factor.bits());
  }
  if (node.kind == ExtentKind::sum) {
    for (const ExtentTerm& term : node.terms) {
      hash = mix_bits(hash, term.monomial.bits());
      hash = mix_bits(hash, static_cast<std::uint64_t>(term.coefficient));
    }
  }
  return hash;
}

SINTER_INLINE bool same_lists(Span<const Extent> a, Span<const Extent> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), SameExtent());
}

SINTER_INLINE bool identical(const ExtentNode& a, const ExtentNode& b) {
  if (a.kind != b.kind || a.id != b.id || a.known != b.known || a.constant != b.constant) {
    return false;
  }
  if (!same_lists(a.operands, b.operands)) return false;
  if (a.kind == ExtentKind::product) return same_lists(a.factors, b.factors);
  if (a.kind != ExtentKind::sum) return true;
  const auto same_term = [](const ExtentTerm& x, const ExtentTerm& y) {
    return same(x.monomial, y.monomial) && x.coefficient == y.coefficient;
  };
  return std::equal(a.terms.begin(), a.terms.end(), b.terms.begin(), b.terms.end(), same_term);
}

SINTER_INLINE Interval interval_of(const ExtentNode& node) {
  const auto operand = [&node](std::size_t i) { return bounds(node.operands[i]); };
  switch (node.kind) {
    case ExtentKind::symbol:
      return {node.known.min, node.known.max};
    case ExtentKind::range: {
      const std::int64_t size = operand(0).max;
      return {0, size == unbounded ? size : std::max<std::int64_t>(size - 1, 0)};
    }
    case ExtentKind::floor_div:
      return floor_div(operand(0), operand(1));
    case ExtentKind::mod:
      return mod(operand(0), operand(1));
    case ExtentKind::min:
      return min(operand(0), operand(1));
    case ExtentKind::max:
      return max(operand(0), operand(1));
    case ExtentKind::product: {
      Interval result{1, 1};
      for (const Extent factor : node.factors) result = result * bounds(factor);
      return result;
    }
    case ExtentKind::sum:
      break;
  }
  Interval result{node.constant, node.constant};
  for (const ExtentTerm& term : node.terms) {
    result = result + bounds(term.monomial) * Interval{term.coefficient, term.coefficient};
  }
  return result;
}

SINTER_INLINE std::int64_t divisor_of(const ExtentNode& node) {
  const auto operand = [&node](std::size_t i) { return known_divisor(node.operands[i]); };
  switch (node.kind) {
    case ExtentKind::symbol:
      return node.known.multiple_of;
    case ExtentKind::range:
      return 1;
    case ExtentKind::floor_div: {
      const Extent by = node.operands[1];
      return by.is_number() && operand(0) % by.number() == 0 ? operand(0) / by.number() : 1;
    }
    case ExtentKind::mod:
    case ExtentKind::min:
    case ExtentKind::max:
      return std::gcd(operand(0), operand(1));
    case ExtentKind::product: {
      std::int64_t result = 1;
      for (const Extent factor : node.factors) {
        const std::int64_t product = saturating_multiply(result, known_divisor(factor));
        if (product != unbounded) result = product;
      }
      return result;
    }
    case ExtentKind::sum:
      break;
  }
  std::int64_t result = std::gcd(node.constant, std::int64_t{0});
  for (const ExtentTerm& term : node.terms) {
    const std::int64_t divisor = known_divisor(term.monomial);
    const std::int64_t product = saturating_multiply(term.coefficient, divisor);
    result = std::gcd(result, is_unbounded(product) ? divisor : product);
  }
  return result;
}

// Adds the variables of `part` that are not in the sorted list `known`.
SINTER_INLINE void add_variables(ExtentList& known, Extent part) {
  if (part.is_number()) return;
  for (const Extent variable : part.node()->variables) {
    const Extent* at = known.begin();
    while (at != known.end() && compare(*at, variable) < 0) ++at;
    if (at == known.end() || !same(*at, variable)) insert_at(known, at, variable);
  }
}

SINTER_INLINE ExtentList variables_of(const ExtentNode& node, Extent self) {
  if (self.is_variable()) return {self};
  ExtentList result;
  for (const Extent operand : node.operands) add_variables(result, operand);
  if (node.kind == ExtentKind::product) {
    for (const Extent factor : node.factors) add_variables(result, factor);
  }
  if (node.kind == ExtentKind::sum) {
    for (const ExtentTerm& term : node.terms) add_variables(result, term.monomial);
  }
  return result;
}

SINTER_INLINE bool divides(const ExtentNode& node) {
  if (node.kind == ExtentKind::product || node.kind == ExtentKind::sum) {
    const auto inside = [](Extent part) { return part.node()->divides; };
    return any_of(node.factors, inside) ||
           any_of(node.terms, [&](const ExtentTerm& term) { return inside(term.monomial); });
  }
  return node.kind != ExtentKind::symbol && node.kind != ExtentKind::range;
}

// All nodes, by hash. Sharded, so that threads that record concurrently rarely contend for a mutex.
struct ExtentNodeTable {
  struct Entry : HashLink {
    const ExtentNode* node = nullptr;
  };
  struct Part {
    ProcessMutex mutex;
    HashBuckets entries;
  };
  Part& part(std::uint64_t hash) { return parts[hash >> 4 & 15]; }

  std::array<Part, 16> parts;
};

SINTER_INLINE ExtentNodeTable& extent_node_table() {
  static ExtentNodeTable& table = *new ExtentNodeTable;
  return table;
}

SINTER_INLINE const ExtentNode* find(const ExtentNodeTable::Part& part, std::uint64_t hash,
                                     const ExtentNode& node) {
  for (HashLink* link = part.entries.bucket(hash); link != nullptr; link = link->next_in_bucket) {
    const ExtentNode* const known = static_cast<ExtentNodeTable::Entry*>(link)->node;
    if (link->hash == hash && identical(*known, node)) return known;
  }
  return nullptr;
}

SINTER_INLINE void derive(ExtentNode& node) {
  const Extent self = Extent::of(&node);
  node.divides = divides(node);
  if (node.kind != ExtentKind::product && node.kind != ExtentKind::sum) node.factors = {self};
  if (node.kind != ExtentKind::sum) node.terms = {{self, 1}};
  node.interval = interval_of(node);
  node.divisor = divisor_of(node);
  node.variables = variables_of(node, self);
}

SINTER_INLINE Interval bounds(Extent extent) {
  if (extent.is_number()) return {extent.number(), extent.number()};
  return extent.node()->interval;
}

SINTER_INLINE std::int64_t known_divisor(Extent extent) {
  return extent.is_number() ? std::gcd(extent.number(), std::int64_t{0}) : extent.node()->divisor;
}

SINTER_INLINE Extent intern(ExtentNode node) {
  const std::uint64_t hash = detail::hash_of(node);
  auto& part = detail::extent_node_table().part(hash);
  {
    const std::lock_guard lock(part.mutex);
    if (const ExtentNode* found = detail::find(part, hash, node)) return Extent::of(found);
  }
  auto created = make_unique_ptr<ExtentNode>(std::move(node));
  detail::derive(*created);
  const std::lock_guard lock(part.mutex);
  if (const ExtentNode* found = detail::find(part, hash, *created)) return Extent::of(found);
  part.entries.reserve(part.entries.size() + 1);
  auto entry = make_unique_ptr<ExtentNodeTable::Entry>();
  entry->node = created.get();
  part.entries.add(*entry.release(), hash);
  return Extent::of(created.release());
}

SINTER_INLINE Extent make_atom(ExtentKind kind, Extent lhs, Extent rhs) {
  return intern({.kind = kind, .operands = {lhs, rhs}});
}

SINTER_INLINE Extent make_product(ExtentList factors) {
  if (factors.empty()) return 1;
  if (factors.size() == 1) return factors[0];
  stable_sort(factors, [](Extent a, Extent b) { return compare(a, b) < 0; });
  return intern({.kind = ExtentKind::product, .factors = std::move(factors)});
}

template <class T>
constexpr int compare_numbers(T a, T b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

SINTER_INLINE int compare_lists(Span<const Extent> a, Span<const Extent> b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (const int order = compare(a[i], b[i])) return order;
  }
  return compare_numbers(a.size(), b.size());
}

SINTER_INLINE int compare_known(const SymbolInfo& a, const SymbolInfo& b) {
  if (const int order = compare_numbers(a.min, b.min)) return order;
  if (const int order = compare_numbers(a.max, b.max)) return order;
  return compare_numbers(a.multiple_of, b.multiple_of);
}

SINTER_INLINE int compare_atoms(const ExtentNode& a, const ExtentNode& b) {
  if (const int order = compare_numbers(a.kind, b.kind)) return order;
  if (const int order = compare_numbers(a.id, b.id)) return order;
  if (const int order = compare_lists(a.operands, b.operands)) return order;
  return compare_known(a.known, b.known);
}

SINTER_INLINE int compare_sums(const ExtentNode& a, const ExtentNode& b) {
  for (std::size_t i = 0; i < std::min(a.terms.size(), b.terms.size()); ++i) {
    if (const int order = compare(a.terms[i].monomial, b.terms[i].monomial)) return order;
    const int order = compare_numbers(a.terms[i].coefficient, b.terms[i].coefficient);
    if (order != 0) return order;
  }
  if (const int order = compare_numbers(a.terms.size(), b.terms.size())) return order;
  return compare_numbers(a.constant, b.constant);
}

SINTER_INLINE int compare(Extent a, Extent b) {
  if (same(a, b)) return 0;
  if (a.is_number() && b.is_number()) return detail::compare_numbers(a.number(), b.number());
  if (a.is_number() || b.is_number()) return a.is_number() ? -1 : 1;
  const ExtentNode& x = *a.node();
  const ExtentNode& y = *b.node();
  const bool x_is_sum = x.kind == ExtentKind::sum;
  const bool y_is_sum = y.kind == ExtentKind::sum;
  if (x_is_sum != y_is_sum) return x_is_sum ? 1 : -1;
  if (x_is_sum) return detail::compare_sums(x, y);
  if (x.kind != ExtentKind::product && y.kind != ExtentKind::product) {
    return detail::compare_atoms(x, y);
  }
  return detail::compare_lists(x.factors, y.factors);
}

}  // namespace sinter::inline SINTER_ABI::detail
