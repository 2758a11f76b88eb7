#pragma once
// Random index expressions in two forms, extents and trees that know no algebra, with values of
// their variables.

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/symbol/extent/extent.hpp>
#include <sinter/symbol/solve/evaluate.hpp>
#include <sinter/symbol/solve/variables.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace symbol_test {

using namespace sinter;
using namespace sinter::detail;

using Values = std::vector<std::pair<Extent, std::int64_t>>;

inline std::int64_t value_in(const Values& values, Extent variable) {
  for (const auto& [one, value] : values) {
    if (same(one, variable)) return value;
  }
  return 0;
}

// What was asked for, kept as it was written.
struct Tree {
  char op = 'v';
  Extent leaf{};
  SharedPtr<const Tree> lhs{};
  SharedPtr<const Tree> rhs{};

  std::int64_t at(const Values& values) const {
    if (op == 'v') return leaf.is_number() ? leaf.number() : value_in(values, leaf);
    const std::int64_t x = lhs->at(values);
    const std::int64_t y = rhs->at(values);
    switch (op) {
      case '+':
        return x + y;
      case '-':
        return x - y;
      case '*':
        return x * y;
      case '/':
        return (x - ((x % y) + y) % y) / y;
      case '%':
        return ((x % y) + y) % y;
      case '<':
        return std::min(x, y);
      default:
        return std::max(x, y);
    }
  }
};

struct Both {
  Extent extent;
  SharedPtr<const Tree> tree;
};

inline Both leaf(Extent extent) { return {extent, make_shared_ptr<Tree>(Tree{.leaf = extent})}; }

inline Both apply(char op, const Both& x, const Both& y) {
  const auto tree = make_shared_ptr<Tree>(Tree{op, {}, x.tree, y.tree});
  switch (op) {
    case '+':
      return {x.extent + y.extent, tree};
    case '-':
      return {x.extent - y.extent, tree};
    case '*':
      return {x.extent * y.extent, tree};
    case '/':
      return {floor_div(x.extent, y.extent), tree};
    case '%':
      return {mod(x.extent, y.extent), tree};
    case '<':
      return {min(x.extent, y.extent), tree};
    default:
      return {max(x.extent, y.extent), tree};
  }
}

// Two symbols and three ranges, whose extents are numbers or made of the symbols.
class Expressions {
 public:
  explicit Expressions(std::uint32_t seed) : random_(seed) {
    n_ = Extent::symbol(0, {.min = 1, .max = 4});
    m_ = pick(2) == 0 ? Extent::symbol(1, {.min = 2, .max = 8, .multiple_of = 2})
                      : Extent::symbol(1, {.min = 1, .max = 3});
    const Extent extents[]{Extent(4), Extent(6), n_,         m_,        n_ * m_,    n_ + 1,
                           Extent(2), 2 * n_,    m_ / 2 + 1, Extent(7), min(n_, 3), 4 * n_ - 3};
    for (std::uint32_t id = 0; id < 3; ++id)
      ranges_.push_back(Extent::range(id, extents[pick(12)]));
  }

  int pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }

  std::vector<Extent> variables() const {
    std::vector<Extent> result{n_, m_};
    result.insert(result.end(), ranges_.begin(), ranges_.end());
    return result;
  }

  // `depth` operations deep at most.
  Both expression(int depth) {
    if (depth == 0 || pick(8) == 0) return operand();
    const Both x = expression(depth - 1);
    switch (pick(9)) {
      case 0:
      case 1:
        return apply('/', x, divisor());
      case 2:
      case 3:
        return apply('%', x, divisor());
      case 4:
        return apply('*', x, pick(2) == 0 ? leaf(pick(7) - 2) : leaf(pick(2) == 0 ? n_ : m_));
      case 5:
        return apply('-', x, expression(depth - 1));
      case 6:
        return apply(pick(2) == 0 ? '<' : '>', x, expression(depth - 1));
      default:
        return apply('+', x, expression(depth - 1));
    }
  }

  // `count` assignments; the least and greatest values are taken half of the time, as that is where
  // proofs go wrong.
  std::vector<Values> assignments(int count) {
    std::vector<Values> result;
    while (static_cast<int>(result.size()) < count) {
      Values values;
      for (const Extent variable : variables()) {
        if (!variable.is_number()) values.push_back({variable, any_value(variable, values)});
      }
      result.push_back(std::move(values));
    }
    return result;
  }

 private:
  Both operand() {
    const auto all = variables();
    const int index = pick(static_cast<int>(all.size()) + 2);
    if (index >= static_cast<int>(all.size())) return leaf(pick(20) - 6);
    return leaf(all[static_cast<std::size_t>(index)]);
  }

  Both divisor() {
    const Both n = leaf(n_);
    const Both m = leaf(m_);
    switch (pick(8)) {
      case 0:
        return n;
      case 1:
        return m;
      case 2:
        return apply('*', n, m);
      case 3:
        return apply('+', m, leaf(2));
      case 4:
        return apply('*', leaf(2), n);
      default:
        return leaf(pick(7) + 2);
    }
  }

  std::int64_t any_value(Extent variable, const Values& values) {
    const bool symbol = variable.is_symbol();
    const SymbolInfo known = symbol ? variable.symbol_info() : SymbolInfo{};
    const std::int64_t last = symbol ? known.max : evaluate(variable.range_extent(), values) - 1;
    const std::int64_t steps = (last - known.min) / known.multiple_of;
    const int choice = pick(4);
    if (choice < 2) return choice == 0 ? known.min : last;
    return known.min + known.multiple_of * pick(static_cast<int>(steps) + 1);
  }

  std::mt19937 random_;
  Extent n_, m_;
  std::vector<Extent> ranges_;
};

}  // namespace symbol_test
