#include <doctest/doctest.h>
#include <sinter/symbol/extent/extent.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/extent/text.hpp>
#include <sinter/symbol/solve/evaluate.hpp>
#include <sinter/symbol/solve/simplify.hpp>
#include <sinter/symbol/solve/variables.hpp>

#include "c_expression.hpp"
#include "random_extent.hpp"

using namespace symbol_test;

namespace {

constexpr std::uint32_t cases = 1000;

}  // namespace

TEST_CASE("fuzz: canonical extents have the value, the bounds and the divisor they should") {
  for (std::uint32_t seed = 0; seed < cases; ++seed) {
    Expressions random(seed);
    const Both both = random.expression(4);
    const Interval interval = bounds(both.extent);
    const std::int64_t divisor = known_divisor(both.extent);
    const bool nonnegative = proven_ge0(both.extent);
    const std::string c = c_text(both.extent, default_name);
    for (const Values& values : random.assignments(60)) {
      const std::int64_t expected = both.tree->at(values);
      const std::int64_t found = evaluate(both.extent, values);
      const bool divisible = divisor == 0 ? found == 0 : found % divisor == 0;
      const bool inside = interval.min <= found && found <= interval.max;
      const bool sign = !nonnegative || found >= 0;
      const bool text_right = c_value(c, values) == expected;
      if (found == expected && divisible && inside && sign && text_right) continue;
      INFO("seed " << seed << ": " << to_string(both.extent) << "; C: " << c);
      CHECK(found == expected);
      CHECK(c_value(c, values) == expected);
      CHECK(divisible);
      CHECK(inside);
      CHECK(sign);
      break;
    }
  }
}

TEST_CASE("fuzz: what is proven of two extents holds") {
  int proofs = 0;
  for (std::uint32_t seed = 0; seed < cases; ++seed) {
    Expressions random(seed + 100000);
    const Both a = random.expression(3);
    const Both b = random.expression(seed % 2 == 0 ? 3 : 1);
    const bool less = proven_less(a.extent, b.extent);
    const bool less_equal = proven_less_equal(a.extent, b.extent);
    const bool equal = proven_equal(a.extent, b.extent);
    const bool not_equal = proven_not_equal(a.extent, b.extent);
    const bool divisible = proven_divisible(a.extent, 4);
    proofs += less + less_equal + equal + not_equal + divisible;
    for (const Values& values : random.assignments(40)) {
      const std::int64_t x = a.tree->at(values);
      const std::int64_t y = b.tree->at(values);
      const bool right = (!less || x < y) && (!less_equal || x <= y) && (!equal || x == y) &&
                         (!not_equal || x != y) && (!divisible || x % 4 == 0);
      if (right) continue;
      INFO("seed " << seed << ": " << to_string(a.extent) << " and " << to_string(b.extent));
      CHECK(right);
      break;
    }
  }
  CHECK(proofs > static_cast<int>(cases) / 4);  // a prover that gives up proves nothing
}

TEST_CASE("fuzz: substitution, coefficients and rests agree with values") {
  for (std::uint32_t seed = 0; seed < cases; ++seed) {
    Expressions random(seed + 200000);
    const Both a = random.expression(3);
    const Both b = random.expression(2);
    const Extent variable = random.variables()[static_cast<std::size_t>(random.pick(5))];
    if (!variable.is_range()) continue;
    const Extent replaced = substitute(a.extent, variable, b.extent);
    const auto coefficient = coefficient_of(a.extent, variable);
    const Extent rest = without(a.extent, variable);
    for (Values values : random.assignments(30)) {
      const std::int64_t number = b.tree->at(values);
      const std::int64_t found = evaluate(replaced, values);
      const std::int64_t old = value_in(values, variable);
      bool affine = true;
      if (coefficient) {
        const std::int64_t sum = evaluate(*coefficient, values) * old + evaluate(rest, values);
        affine = sum == a.tree->at(values);
      }
      // The rules used that variable >= 0 and variable < its extent.
      const std::int64_t extent = evaluate(variable.range_extent(), values);
      for (auto& [one, value] : values) {
        if (same(one, variable)) value = number;
      }
      const bool legal = number >= 0 && number < extent;
      const bool right = !legal || found == a.tree->at(values);
      if (right && affine) continue;
      INFO("seed " << seed << ": " << to_string(a.extent) << " where " << to_string(variable)
                   << " = " << to_string(b.extent) << ": " << to_string(replaced));
      CHECK(right);
      CHECK(affine);
      break;
    }
  }
}

TEST_CASE("fuzz: what is simplified under guards is right where they hold") {
  int simpler = 0;
  for (std::uint32_t seed = 0; seed < cases; ++seed) {
    Expressions random(seed + 300000);
    const Both a = random.expression(4);
    Vector<Within> facts;
    std::vector<Both> guards;
    for (int i = 0; i <= random.pick(2); ++i) {
      guards.push_back(random.expression(random.pick(2)));
      const Extent low = random.pick(5) - 1;
      facts.push_back({low, guards.back().extent, low + 1 + random.pick(4)});
    }
    const Extent simplified = simplify_under(a.extent, facts);
    const bool nonnegative = proven_ge0_under(a.extent, facts);
    simpler += !same(simplified, a.extent);
    for (const Values& values : random.assignments(60)) {
      bool holds = true;
      for (std::size_t i = 0; i < facts.size(); ++i) {
        const std::int64_t value = guards[i].tree->at(values);
        holds = holds && facts[i].low.number() <= value && value < facts[i].high.number();
      }
      if (!holds) continue;
      const std::int64_t expected = a.tree->at(values);
      const bool right =
          evaluate(simplified, values) == expected && (!nonnegative || expected >= 0);
      if (right) continue;
      INFO("seed " << seed << ": " << to_string(a.extent) << " becomes " << to_string(simplified)
                   << " under " << to_string(facts[0].extent));
      CHECK(right);
      break;
    }
  }
  CHECK(simpler > 20);
}
