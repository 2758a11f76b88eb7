// test: moved
#include "testing.hpp"

#include <sinter/jit/compile.hpp>
#include <sinter/trace/context/mark_dynamic.hpp>
#include <sinter/trace/ops/creation/random.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/index/index.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>
#include <sinter/trace/ops/sort/sort.hpp>
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

TEST_CASE("sort: gives the elements in order and where they were, NaN last") {
  const auto [values, indices] = sort(x);
  CHECK(near(values, {1, 2, 3, 1, 4, 5}));
  CHECK(near(indices, {1, 2, 0, 0, 2, 1}));
  CHECK(indices.dtype() == i64);
  CHECK(near(sort(x, 0, true).values, {3, 5, 4, 1, 1, 2}));
  CHECK(near(sort(vector({not_a_number, 1, infinity, -1})).values, {-1, 1, infinity, NAN}));
  CHECK(near(argsort(vector({not_a_number, 1, infinity, -1}), 0, true), {0, 2, 1, 3}));
  CHECK(near(argsort(vector({2, 1, 2, 1})), {1, 3, 0, 2}));
  CHECK(near(argsort(vector({2, 1, 2, 1}), 0, true), {0, 2, 1, 3}));
  CHECK(near(sort(gt(x, 2)).values, {0, 0, 1, 0, 1, 1}));
  CHECK(near(sort(full({}, 4.0)).values, {4}));
  CHECK(sort(full({}, 4.0)).indices.shape() == Shape{});
  CHECK(sort(zeros({0, 3}), 0).values.shape() == Shape{0, 3});
}

TEST_CASE("topk: gives the largest or the smallest elements, the first of equal ones first") {
  const auto [values, indices] = topk(x, 2);
  CHECK(near(values, {3, 2, 5, 4}));
  CHECK(near(indices, {0, 2, 1, 2}));
  CHECK(near(topk(x, 1, 0, false).values, {1, 1, 2}));
  CHECK(near(topk(vector({7, 9, 9, 7, 9}), 3).indices, {1, 2, 4}));
  CHECK(topk(x, 0).values.shape() == Shape{2, 0});
  CHECK(near(topk(full({}, 4.0), 1).values, {4}));
}

TEST_CASE("kthvalue: counts from 1, from the smallest") {
  CHECK(near(kthvalue(x, 2).values, {2, 4}));
  CHECK(near(kthvalue(x, 1, 0, true).indices, {1, 0, 0}));
  CHECK(kthvalue(x, 1, 0, true).values.shape() == Shape{1, 3});
}

TEST_CASE("median: is in the middle, the smaller one of two; NaN if there is one") {
  CHECK(near(median(x), {2}));
  CHECK(near(median(x, 1).values, {2, 4}));
  CHECK(near(median(x, 1).indices, {2, 2}));
  CHECK(near(median(x, 0, true).values, {1, 1, 2}));
  CHECK(near(median(tensor({1, not_a_number, 0, 4, 5, 6}, {2, 3}), 1).values, {NAN, 5}));
  CHECK(near(median(tensor({1, not_a_number, 0, 4, 5, 6}, {2, 3}), 1).indices, {1, 1}));
  CHECK(median(x).shape() == Shape{});
}

TEST_CASE("quantile: is between the two elements around it, NaN if there is one") {
  CHECK(near(quantile(x, 0.5), {2.5}));
  CHECK(near(quantile(x, 0.25, 1), {1.5, 2.5}));
  CHECK(near(quantile(x, 1, 0, true), {3, 5, 4}));
  CHECK(near(quantile(x, 0, 0), {1, 1, 2}));
  CHECK(quantile(x, 0.5, 0, true).shape() == Shape{1, 3});
  CHECK(near(quantile(integers({4, 1, 3, 2}), 0.5), {2.5}));
  CHECK(near(quantile(vector({1, not_a_number, 2}), 0.25), {NAN}));
  CHECK(quantile(x.to(f16), 0.3, 1).dtype() == f16);
  CHECK(near(quantile(full({}, 4.0), 0.5), {4}));
  CHECK(near(grad([](const Tensor& t) { return sum(quantile(t, 0.25, 1)); })(x.to(f64)),
             {0, 0.5, 0.5, 0.5, 0, 0.5}));
}

TEST_CASE("sort: what is compiled gives what is computed eagerly, sizes static or symbolic") {
  random::manual_seed(1);
  const Tensor wide = randn({9, sinter_test::by_device(70, 37)});
  for (const int axis : {0, 1}) {
    check_fused([axis](const Tensor& t) { return argsort(transpose(t, 0, 1), axis, true); }, wide);
    check_fused([axis](const Tensor& t) { return sort(t, axis).values; }, wide);
    check_fused([axis](const Tensor& t) { return topk(t, 5, axis).indices; }, wide);
    check_fused([axis](const Tensor& t) { return median(t, axis).values; }, wide);
  }
  check_fused([](const Tensor& t) { return median(t); }, wide);
  check_fused([](const Tensor& t) { return quantile(t, 0.3, 0); }, wide);
}

TEST_CASE("sort: gradients go to where the elements were") {
  const auto gradient = [](auto function) { return grad(function)(x.to(f64)); };
  const Tensor weight = counting({2, 3}).to(f64);
  CHECK(near(gradient([&](const Tensor& t) { return sum(sort(t).values * weight); }),
             {2, 0, 1, 3, 5, 4}));
  CHECK(near(gradient([](const Tensor& t) { return sum(topk(t, 2).values); }), {1, 0, 1, 0, 1, 1}));
  CHECK(
      near(gradient([](const Tensor& t) { return sum(median(t, 1).values); }), {0, 0, 1, 0, 0, 1}));
}

TEST_CASE("topk: its result is a result of a compiled function") {
  const auto best = compile([](const Tensor& t) { return topk(t * 2.0f, 1); });
  const auto [values, indices] = best(x);
  CHECK(near(values, {6, 10}));
  CHECK(near(indices, {0, 1}));
}

TEST_CASE("sort: mistakes name the line, the values, the rule and the way out") {
  MISTAKE(IndexError, sort(x, 2), "sort: x has no such axis", "f32[2, 3]", "axis  2");
  MISTAKE(IndexError, argsort(full({}, 1.0), 1), "argsort: x has no such axis");
  MISTAKE(ValueError, topk(x, 4), "topk: k is out of range", "4", "0 <= k <= 3");
  MISTAKE(ValueError, topk(x, -1), "topk: k is out of range", "-1");
  MISTAKE(ValueError, kthvalue(x, 0), "kthvalue: k is out of range", "1 <= k <= 3");
  MISTAKE(ValueError, median(zeros({2, 0}), 1), "median: there is nothing to choose from");
  MISTAKE(ValueError, quantile(x, 1.5), "quantile: q is not in [0, 1]", "1.5");
}
