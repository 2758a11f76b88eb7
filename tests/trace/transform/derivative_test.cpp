// test: moved
#include "testing.hpp"

#include <sinter/trace/core/record.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/transform/derivative.hpp>

using namespace testing;
using detail::Derivative;
using detail::Differentiation;

namespace {

const Where here = Where::current();

}  // namespace

TEST_CASE("derivative: of several outputs, back and forward, as often as one likes") {
  Differentiation differentiation;
  const Tensor x = differentiation.variable(vector({2, 3}), here);
  const Tensor y = differentiation.variable(vector({5, 7}), here);
  const Derivative derivative = differentiation.derivative({x * y, x * x, integers({1})});
  const auto back = derivative.pull_back({vector({1, 1}), vector({0, 10})}, here);
  CHECK(near(back[0], {5, 7 + 60}));
  CHECK(near(back[1], {2, 3}));
  const auto ahead = derivative.push_forward({vector({1, 0}), vector({0, 1})}, here);
  CHECK(ahead.size() == 2);  // nothing for integers
  CHECK(near(ahead[0], {5, 3}));
  CHECK(near(ahead[1], {4, 0}));
}

TEST_CASE("derivative: lives longer than its variables") {
  const auto made = [] {
    Differentiation differentiation;
    const Tensor x = differentiation.variable(vector({2, 3}), here);
    return differentiation.derivative({x * x * x});
  };
  CHECK(near(made().pull_back({vector({1, 1})}, here)[0], {12, 27}));
}

TEST_CASE("derivative: is where its outputs are, even if it is computed of nothing") {
  Differentiation differentiation;
  const Tensor x = differentiation.variable(vector({2, 3}), here);
  const Derivative derivative = differentiation.derivative({detach(x) + 1.0f});
  const auto ahead = derivative.push_forward({vector({1, 0})}, here);
  CHECK(ahead[0].device() == x.device());
  CHECK(near(ahead[0], {0, 0}));
}
