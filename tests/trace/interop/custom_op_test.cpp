// test: moved
#include "testing.hpp"

#include <sinter/jit/compile.hpp>
#include <sinter/trace/interop/custom_op.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>
#include <sinter/trace/transform/grad.hpp>
#include <sinter/trace/transform/vmap.hpp>

using namespace testing;

namespace {

// The numbers of x, in reverse: something that needs their elements.
Tensor reversed(const Tensor& x) {
  std::vector<float> list = x.to_vector<float>();
  return from_vector(std::vector<float>(list.rbegin(), list.rend()), x.shape());
}

const auto reverse = custom_op<"test::reverse">(
    {.forward = reversed,
     .backward = [](const Tensor&, const Tensor&, const Tensor& g) { return flip(g, 0); }});

Tensor loss(const Tensor& x, const Tensor& w) { return sum(reverse(x * 2) * w); }

}  // namespace

TEST_CASE("custom_op: computes on the host what its forward gives") {
  CHECK(near(reverse(vector({1, 2, 3})), {3, 2, 1}));
  const auto both = custom_op<"test::minmax">({.forward = [](std::span<const Tensor> x) {
    return std::vector{x[0] + x[1], x[0] - x[1]};
  }});
  const std::vector<Tensor> found = both.results(vector({3}), 1.0f);
  CHECK(near(found[0], {4}));
  CHECK(near(found[1], {2}));
}

TEST_CASE("custom_op: the gradient is what its backward gives") {
  const Tensor x = vector({1, 2, 3}), w = vector({1, 10, 100});
  CHECK(near(loss(x, w), {6 + 40 + 200}));
  CHECK(near(grad(loss)(x, w), {200, 20, 2}));
  CHECK(near(grad(loss, 1)(x, w), {6, 4, 2}));
}

TEST_CASE("custom_op: in a compiled function it is a break with its name, made on every call") {
  const auto fast = compile(loss);
  const Tensor w = vector({1, 10, 100});
  for (const float first : {1.0f, 5.0f, 7.0f}) {
    const Tensor x = vector({first, 2, 3});
    CHECK(near(fast(x, w), numbers(loss(x, w))));
  }
  CHECK(fast.stats().breaks == 1);
  REQUIRE(fast.explain().breaks.size() == 1);
  CHECK(fast.explain().breaks[0].reason.find("test::reverse") != std::string::npos);
  const auto slope = compile(grad(loss));
  CHECK(near(slope(vector({1, 2, 3}), w), {200, 20, 2}));
  CHECK(near(slope(vector({4, 5, 6}), w), {200, 20, 2}));
}

TEST_CASE("custom_op: where a graph cannot break it is an error with its name") {
  const Tensor x = vector({1, 2, 3});
  CHECK_THROWS_AS(compile(loss, {.fullgraph = true})(x, x), GraphBreakError);
  try {
    vmap([](const Tensor& v) { return reverse(v); })(tensor({1, 2, 3, 4}, {2, 2}));
    FAIL_CHECK("nothing was thrown");
  } catch (const GraphBreakError& error) {
    CHECK(std::string(error.what()).find("test::reverse") != std::string::npos);
  }
}

TEST_CASE("custom_op: functions of another number of tensors are mistakes") {
  const Where user = Where::current();
  const auto one = custom_op<"test::one">(
      {.forward = reversed, .backward = [](const Tensor& g) { return g; }}, user);
  for (const bool is_backward : {false, true}) {
    const std::vector<Tensor> given(is_backward ? 1 : 2, vector({1}));
    try {
      is_backward ? one(given[0]) : one(given[0], given[1]);
      FAIL_CHECK("nothing was thrown");
    } catch (const ValueError& error) {
      CHECK(std::string(error.what()).find("number of tensors") != std::string::npos);
      CHECK(to_string(error.where()) == to_string(user));
    }
  }
}

TEST_CASE("custom_op: its functions are called at the line of custom_op") {
  Where seen;
  const auto forward = [&seen](const Tensor& x, Where where = Where::current()) {
    return seen = where, x;
  };
  const Where user = Where::current();
  custom_op<"test::line">({.forward = forward}, user)(vector({1}));
  CHECK(to_string(seen) == to_string(user));
}
