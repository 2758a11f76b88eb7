// A guard accepts a call only if the program would have taken the same path: random programs
// that compare sizes, need them to be equal and ask for their values, and random sizes afterwards.

#include <doctest/doctest.h>
#include <sinter/guard/guard.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

#include <random>

#include "trace/testing.hpp"

using namespace testing;

namespace {

constexpr int symbol_count = 4;

struct Answer {
  Extent lhs, rhs;
  Relation relation{};
  bool yes = false;
};

class Program {
 public:
  explicit Program(unsigned seed) : random_(seed) {
    for (int i = 0; i < symbol_count; ++i) {
      const SymbolInfo known{.min = below(3) == 0 ? 2 : 0, .max = below(3) == 0 ? 12 : unbounded};
      sizes_.push_back(2 + below(8));
      const auto freedom = static_cast<Freedom>(below(3));
      symbols_.push_back(recorder_.symbol(known, sizes_.back(), freedom, text("n", i)));
    }
  }

  // What the program did; false if it contradicted a mark.
  bool run() {
    try {
      for (int i = 0; i < 4; ++i) step();
    } catch (const ConstraintError&) {
      return false;
    }
    recorder_.fix_sizes();
    return true;
  }

  guard::Guard guard() const {
    Vector<TensorType> types;
    std::vector<std::string> names;
    for (const Extent& symbol : symbols_) {
      types.push_back({f32, {symbol}});
      names.push_back(text("argument ", names.size()));
    }
    return guard::make_guard(recorder_, types, names);
  }

  const std::vector<std::int64_t>& sizes() const { return sizes_; }
  std::vector<std::int64_t> size_mismatches() {
    std::vector<std::int64_t> result = sizes_;
    for (std::int64_t& size : result) {
      if (below(2) == 0) size = below(15);
    }
    return result;
  }

  // True if a call with these sizes takes the same path.
  bool agrees(const std::vector<std::int64_t>& sizes) const {
    const std::span<const std::int64_t> known(sizes);
    for (const Answer& answer : answers_) {
      const std::int64_t lhs = sinter::detail::evaluate(answer.lhs, known),
                         rhs = sinter::detail::evaluate(answer.rhs, known);
      if (holds(lhs, answer.relation, rhs) != answer.yes) return false;
    }
    return true;
  }

 private:
  std::int64_t below(int bound) {
    return static_cast<std::int64_t>(random_() % static_cast<unsigned>(bound));
  }
  Extent symbol() { return symbols_[static_cast<std::size_t>(below(symbol_count))]; }
  Extent expression() {
    switch (below(7)) {
      case 0:
        return symbol() * symbol();
      case 1:
        return symbol() + (1 + below(3));
      case 2:
        return (1 + below(3)) * symbol();
      case 3:
        return symbol() % (2 + below(3));
      case 4:
        return (symbol() + symbol()) / 2;
      case 5:
        return Extent(below(12));
      default:
        return symbol();
    }
  }
  void step() {
    const Extent lhs = expression(), rhs = expression();
    const auto relation = static_cast<Relation>(below(6));
    const int kind = static_cast<int>(below(4));
    if (kind == 0) {
      const bool equal = recorder_.unify(lhs, rhs, Where::current());
      answers_.push_back({lhs, rhs, Relation::equal, equal});
    } else if (kind == 1) {
      const std::int64_t value = recorder_.value(lhs, Where::current());
      answers_.push_back({lhs, value, Relation::equal, true});
    } else {
      const bool yes = recorder_.decide(lhs, relation, rhs, Where::current());
      answers_.push_back({lhs, rhs, relation, yes});
    }
  }

  std::mt19937 random_;
  Recorder recorder_;
  std::vector<std::int64_t> sizes_;
  std::vector<Extent> symbols_;
  std::vector<Answer> answers_;
};

bool fits(const guard::Guard& guard, const std::vector<std::int64_t>& sizes) {
  std::vector<Tensor> tensors;
  for (const std::int64_t size : sizes) tensors.push_back(zeros({size}));
  Vector<guard::Leaf> leaves;
  for (Tensor& tensor : tensors) leaves.push_back({.tensor = &tensor});
  std::vector<std::int64_t> symbols(guard.symbols.size());
  return matches(guard, {}, leaves, symbols);
}

}  // namespace

TEST_CASE("guard: 20,000 random programs are replayed only if they would record the same") {
  int recorded = 0, replayed = 0, refused = 0;
  for (unsigned seed = 0; seed < 20000; ++seed) {
    Program program(seed);
    if (!program.run()) continue;
    ++recorded;
    CAPTURE(seed);
    const guard::Guard guard = program.guard();
    REQUIRE(program.agrees(program.sizes()));
    REQUIRE(fits(guard, program.sizes()));
    for (int i = 0; i < 8; ++i) {
      const std::vector<std::int64_t> sizes = program.size_mismatches();
      const bool is_replayed = fits(guard, sizes);
      replayed += is_replayed ? 1 : 0;
      refused += is_replayed ? 0 : 1;
      if (is_replayed) REQUIRE(program.agrees(sizes));
    }
  }
  CHECK(recorded > 5000);
  CHECK(replayed > 5000);
  CHECK(refused > 5000);
}
