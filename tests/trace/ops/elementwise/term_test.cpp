// test: moved
#include "testing.hpp"

#include <sinter/trace/ops/elementwise/term.hpp>

using namespace testing;
using sinter::detail::formula::compute;
using sinter::detail::formula::Term;

TEST_CASE("Term: a formula is evaluated as it is written") {
  const Tensor x = vector({1, 4});
  CHECK(near(compute(x, [](const Term& t) { return 1 + sqrt(t) * 2 - t / 4; }), {2.75, 4}));
  CHECK(near(compute(x, [](const Term& t) { return choose((t > 2) | (t == 0), -t, 7); }), {7, -4}));
}

TEST_CASE("Term: 16 bits are computed in f32 and rounded once, integers give f32") {
  const auto third = [](const Term& t) { return (t / 3) * 3; };
  CHECK(near(compute(full({1}, 0.7, f16), third), numbers(full({1}, 0.7, f16)), 0));
  CHECK(compute(full({1}, 0.7, bf16), third).dtype() == bf16);
  CHECK(compute(integers({1}), third).dtype() == f32);
  CHECK(compute(1, third).dtype() == f32);
  CHECK(compute(integers({1}), full({}, 1.0, f64), [](const Term& a, const Term& b) {
          return a + b;
        }).dtype() == f64);
}

TEST_CASE("Term: errors in a formula name the line of its user") {
  const auto mean = [](Operand x, Operand y) {
    return compute(x, y, [](const Term& a, const Term& b) { return (a + b) / 2; });
  };
  MISTAKE(ShapeError, mean(ones({3}), ones({4})), "f32[3]", "f32[4]");
}
