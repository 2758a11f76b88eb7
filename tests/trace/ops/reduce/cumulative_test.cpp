// test: moved
#include "testing.hpp"

#include <sinter/jit/compile.hpp>
#include <sinter/trace/context/mark_dynamic.hpp>
#include <sinter/trace/ops/creation/random.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/reduce/cumulative.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>
#include <sinter/trace/transform/grad.hpp>

using namespace testing;

namespace {

Tensor x = tensor({3, 1, 2, 1, 5, 4}, {2, 3});
const Shared shared{x};

// Compiled for the sizes of `of`, and for any, `function` gives what it gives eagerly; on a GPU for
// one of the two in turn.
template <class F>
void check_fused(F function, const Tensor& of) {
  const Numbers expected = numbers(function(of));
  const bool is_sized = sinter_test::by_device(true, sinter_test::next_turn());
  if (is_sized) CHECK(near(compile(function)(of), expected));
  if (is_sized && sinter_test::on_gpu()) return;
  Tensor marked = of;
  for (int axis = 0; axis < of.ndim(); ++axis) mark_dynamic(marked, axis);
  CHECK(near(compile(function)(marked), expected));
}

}  // namespace

TEST_CASE("cumsum: adds up along an axis; integers and booleans in i64") {
  CHECK(near(cumsum(x, 1), {3, 4, 6, 1, 6, 10}));
  CHECK(near(cumsum(x, 0), {3, 1, 2, 4, 6, 6}));
  CHECK(near(cumsum(x, -2), {3, 1, 2, 4, 6, 6}));
  CHECK(cumsum(x, 0).dtype() == f32);
  CHECK(cumsum(x.to(bf16), 0).dtype() == bf16);
  CHECK(cumsum(x.to(u8), 0).dtype() == i64);
  CHECK(near(cumsum(full({3}, 200, u8), 0), {200, 400, 600}));
  CHECK(near(cumsum(gt(x, 1), 1), {1, 1, 2, 0, 1, 2}));
  CHECK(near(cumsum(full({}, 4.0), 0), {4}));
  CHECK(cumsum(zeros({2, 0}), 1).shape() == Shape{2, 0});
}

TEST_CASE("cumprod: multiplies along an axis") {
  CHECK(near(cumprod(x, 1), {3, 3, 6, 1, 5, 20}));
  CHECK(near(cumprod(integers({2, 3, -4}), -1), {2, 6, -24}));
  CHECK(cumprod(x.to(i8), 0).dtype() == i64);
  CHECK(near(cumprod(vector({2, 0, 3, not_a_number}), 0), {2, 0, 0, NAN}));
}

TEST_CASE("cumsum: takes the dtype in which it adds up") {
  CHECK(near(cumsum(full({3}, 200, u8), 0, u8), {200, 144, 88}));
  CHECK(cumprod(x, 0, f64).dtype() == f64);
  MISTAKE(DTypeError, cumsum(x, 0, boolean), "cumsum: booleans do not add up");
}

TEST_CASE("cumulative: what is compiled gives what is computed eagerly, sizes static or symbolic") {
  random::manual_seed(1);
  const Tensor wide = randn({9, sinter_test::by_device(70, 37)});
  for (const int axis : {0, 1}) {
    check_fused([axis](const Tensor& t) { return cumsum(exp(t), axis); }, wide);
    check_fused([axis](const Tensor& t) { return cumprod(t, axis); }, wide);
  }
}

TEST_CASE("cumulative: gradients are those of the sums and products") {
  const auto gradient = [](auto function) { return grad(function)(x.to(f64)); };
  const Tensor weight = counting({2, 3}).to(f64);
  CHECK(near(gradient([&](const Tensor& t) { return sum(cumsum(t, 1) * weight); }),
             {3, 3, 2, 12, 9, 5}));
  CHECK(near(gradient([](const Tensor& t) { return sum(cumprod(t, 1)); }),
             {1 + 1 + 2, 3 + 6, 3, 1 + 5 + 20, 1 + 4, 5}));
}

TEST_CASE("cumulative: mistakes name the line, the values, the rule and the way out") {
  MISTAKE(IndexError, cumsum(x, 2), "cumsum: x has no such axis", "f32[2, 3]", "axis  2");
  MISTAKE(IndexError, cumprod(x, -3), "cumprod: x has no such axis");
}
