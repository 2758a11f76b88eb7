// test: moved
#include "testing.hpp"

#include <sinter/jit/compile.hpp>
#include <sinter/trace/context/mark_dynamic.hpp>
#include <sinter/trace/ops/index/index.hpp>
#include <sinter/trace/ops/index/mask.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/transform/grad.hpp>

using namespace testing;

namespace {

Tensor x = tensor({3, -1, 4, -1, 5, -9}, {2, 3});
const Shared shared{x};

}  // namespace

TEST_CASE("masked_fill: replaces where the mask holds") {
  CHECK(near(masked_fill(x, lt(x, 0), 7), {3, 7, 4, 7, 5, 7}));
  CHECK(near(masked_fill(x, gt(vector({0, 1, 0}), 0), -infinity),
             {3, -infinity, 4, -1, -infinity, -9}));
  CHECK(masked_fill(x.to(i32), lt(x, 0), 2.5).dtype() == i32);
  CHECK(near(grad([](const Tensor& at) { return sum(square(masked_fill(at, lt(at, 0), 7))); })(x),
             {6, 0, 8, 0, 10, 0}));
}

TEST_CASE("masked_fill: sizes that are marked are assumed to be equal") {
  const auto fill = [](const Tensor& at, const Tensor& mask) { return masked_fill(at, mask, 3); };
  for (const bool all_axes_of_mask : {true, false}) {
    Tensor at = x, mask = all_axes_of_mask ? lt(x, 0) : gt(vector({0, 1, 0}), 0);
    for (int axis = 0; axis < at.ndim(); ++axis) mark_dynamic(at, axis);
    for (int axis = 0; axis < mask.ndim(); ++axis) mark_dynamic(mask, axis);
    CHECK(near(compile(fill)(at, mask), numbers(fill(x, mask))));
  }
}

TEST_CASE("masked_select: gives the elements where the mask holds, row by row") {
  CHECK(near(masked_select(x, gt(x, 0)), {3, 4, 5}));
  CHECK(near(masked_select(x, gt(vector({1, 0, 1}), 0)), {3, 4, -1, -9}));
  CHECK(near(masked_select(vector({1, 2}), gt(x[{all, Slice{0, 2}}], 0)), {1, 2}));
  CHECK(masked_select(x, gt(x, 100)).shape() == Shape{0});
  CHECK(near(masked_select(full({}, 2.0f), full({}, true)), {2}));
  CHECK(near(grad([](const Tensor& at) { return sum(square(masked_select(at, gt(at, 0)))); })(x),
             {6, 0, 8, 0, 10, 0}));
}

TEST_CASE("masked_select: with a capacity fills what is left, and leaves out what does not fit") {
  CHECK(near(masked_select(x, gt(x, 0), 5), {3, 4, 5, 0, 0}));
  CHECK(near(masked_select(x, gt(x, 0), 2), {3, 4}));
  CHECK(near(masked_select(x, gt(x, 0), 9, -1), {3, 4, 5, -1, -1, -1, -1, -1, -1}));
  CHECK(near(masked_select(x, gt(x, 100), 2, 6), {6, 6}));
  CHECK(masked_select(x, gt(x, 0), 0).shape() == Shape{0});
  CHECK(near(masked_select(ones({0}), zeros({0}, boolean), 2, 3), {3, 3}));
  const auto total = [](const Tensor& at) { return sum(square(masked_select(at, gt(at, 0), 2))); };
  CHECK(near(grad(total)(x), {6, 0, 8, 0, 0, 0}));
}

TEST_CASE("masked_scatter: puts the elements of the source where the mask holds, in order") {
  CHECK(near(masked_scatter(x, lt(x, 0), vector({10, 20, 30, 40})), {3, 10, 4, 20, 5, 30}));
  CHECK(near(masked_scatter(x, lt(x, -100), ones({0})), {3, -1, 4, -1, 5, -9}));
  CHECK_THROWS_AS(numbers(masked_scatter(x, lt(x, 0), vector({10, 20}))), IndexError);
  const auto weighted = [](const Tensor& source) {
    return sum(mul(masked_scatter(x, lt(x, 0), source), counting({2, 3})));
  };
  CHECK(near(grad(weighted)(vector({1, 2, 3, 4})), {1, 3, 5, 0}));
}

TEST_CASE("nonzero: gives a row of positions for each element that is not 0") {
  const Tensor y = tensor({0, 2, 0, 0, -1, 1}, {2, 3});

  CHECK(near(nonzero(y), {0, 1, 1, 1, 1, 2}));
  CHECK(nonzero(y).shape() == Shape{3, 2});
  CHECK(nonzero(y).dtype() == i64);
  CHECK(near(argwhere(vector({0, 3, not_a_number})), {1, 2}));
  CHECK(nonzero(zeros({4, 0, 2})).shape() == Shape{0, 3});
  CHECK(nonzero(full({}, 3)).shape() == Shape{1, 0});
  CHECK(near(nonzero(y, 4, -1), {0, 1, 1, 1, 1, 2, -1, -1}));
  CHECK(near(nonzero(y, 2), {0, 1, 1, 1}));
  CHECK(near(nonzero(zeros({4, 0, 2}), 1, 9), {9, 9, 9}));
  CHECK(near(nonzero(gt(y, 0), 3, integers({7, 8})), {0, 1, 1, 2, 7, 8}));
}

TEST_CASE("where: of a condition alone gives the positions along each axis") {
  const auto lists = where(tensor({0, 2, 0, 0, -1, 1}, {2, 3}));

  REQUIRE(lists.size() == 2);
  CHECK(near(lists[0], {0, 1, 1}));
  CHECK(near(lists[1], {1, 1, 2}));
  CHECK(near(x[{lists[0], lists[1]}], {-1, 5, -9}));
}

TEST_CASE("mask: in a compiled function, a mask is read and a capacity is not") {
  auto reads = compile([](const Tensor& at) { return sum(masked_select(at, gt(at, 0))); });
  auto holds = compile([](const Tensor& at) { return masked_select(at, gt(at, 0), 4, 1); });
  auto positions = compile([](const Tensor& at) { return nonzero(gt(at, 0), 4, -1); });
  for (int i = 0; i < 3; ++i) {
    const Tensor at = add(x, i);
    CHECK(near(reads(at), {numbers(sum(masked_select(at, gt(at, 0))))[0]}));
    CHECK(near(holds(at), numbers(masked_select(at, gt(at, 0), 4, 1))));
    CHECK(near(positions(at), numbers(nonzero(gt(at, 0), 4, -1))));
  }
  CHECK(reads.stats().breaks == 1);
  CHECK(reads.explain().breaks[0].fix.find("capacity") != std::string::npos);
  CHECK(holds.stats().breaks == 0);
  CHECK(positions.stats().breaks == 0);
  Tensor marked = x;
  mark_dynamic(marked, 0);
  CHECK(near(holds(marked), {3, 4, 5, 1}));
  CHECK(near(positions(marked), {0, 0, 0, 2, 1, 1, -1, -1}));
}

TEST_CASE("mask: mistakes name the line, the values, the rule and the way out") {
  MISTAKE(DTypeError, masked_fill(x, x, 1), "masked_fill: the mask is not boolean", "f32[2, 3]");
  MISTAKE(ShapeError, masked_fill(x, zeros({4}, boolean), 1), "masked_fill", "bool[4]");
  MISTAKE(ShapeError, masked_scatter(x, zeros({4}, boolean), x), "masked_scatter", "bool[4]");
  MISTAKE(ShapeError, masked_fill(x, gt(x, 0), ones({2})), "masked_fill: ", "f32[2]");
  MISTAKE(DTypeError, masked_select(x, x), "masked_select: ", "compare");
  MISTAKE(ShapeError, masked_select(x, zeros({2}, boolean)), "masked_select: ", "bool[2]");
  MISTAKE(ShapeError, masked_select(x, gt(x, 0), -1), "masked_select: ", "negative");
  MISTAKE(ShapeError, nonzero(x, -1), "nonzero: ", "negative");
}

TEST_CASE("masked_fill, masked_scatter: x broadcasts to the mask, as the mask to x") {
  const Tensor row = vector({1, 2, 3}), mask = gt(tensor({1, 0, 0, 0, 1, 1}, {2, 3}), 0);

  CHECK(near(masked_fill(row, mask, 9), {9, 2, 3, 1, 9, 9}));
  CHECK(masked_fill(row, mask, 9).shape() == Shape{2, 3});
  CHECK(near(masked_scatter(row, mask, vector({7, 8, 9})), {7, 2, 3, 1, 8, 9}));
  const auto slope = grad([mask](const Tensor& x) { return sum(masked_fill(x, mask, 9)); })(row);
  CHECK(near(slope, {1, 1, 1}));
}
