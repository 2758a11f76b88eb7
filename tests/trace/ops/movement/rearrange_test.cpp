// test: moved
#include "testing.hpp"

#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/movement/rearrange.hpp>

using namespace testing;

namespace {

Tensor matrix = counting({2, 3});
const Shared shared{matrix};

}  // namespace

TEST_CASE("roll: what leaves at one end comes in at the other") {
  CHECK(near(roll(matrix, 1, 1), {2, 0, 1, 5, 3, 4}));
  CHECK(near(roll(matrix, -1, -1), {1, 2, 0, 4, 5, 3}));
  CHECK(near(roll(matrix, 7, 1), {2, 0, 1, 5, 3, 4}));
  CHECK(near(roll(matrix, {1, 1}, {0, 1}), {5, 3, 4, 2, 0, 1}));
  CHECK(near(roll(matrix, 2), {4, 5, 0, 1, 2, 3}));
  CHECK(roll(matrix, 3, 1).lazy() == matrix.lazy());
  CHECK(near(roll(full({}, 4), 1), {4}));
  CHECK(to_string(roll(zeros({0, 2}), 1, 0)) == "f32[0, 2]");
}

TEST_CASE("unflatten, ravel: one axis as several, and all as one") {
  CHECK(to_string(unflatten(ones({2, 6}), 1, {3, -1})) == "f32[2, 3, 2]");
  CHECK(to_string(unflatten(ones({6, 2}), -2, {1, 6})) == "f32[1, 6, 2]");
  CHECK(to_string(unflatten(ones({0}), 0, {0, 3})) == "f32[0, 3]");
  CHECK(near(ravel(matrix), {0, 1, 2, 3, 4, 5}));
  CHECK(to_string(ravel(ones({}))) == "f32[1]");
}

TEST_CASE("moveaxis, movedim, swapaxes: put axes elsewhere") {
  const Tensor x = ones({2, 3, 4});
  CHECK(to_string(moveaxis(x, 0, -1)) == "f32[3, 4, 2]");
  CHECK(to_string(movedim(x, 2, 0)) == "f32[4, 2, 3]");
  CHECK(to_string(moveaxis(x, {0, 1}, {-1, 0})) == "f32[3, 4, 2]");
  CHECK(to_string(movedim(x, {2, 0}, {0, 1})) == "f32[4, 2, 3]");
  CHECK(to_string(swapaxes(x, 0, -1)) == "f32[4, 3, 2]");
  MISTAKE(IndexError, swapaxes(x, 0, 3), "swapaxes: x has no such axis");
}

TEST_CASE("rot90: rotates a plane") {
  CHECK(near(rot90(matrix), {2, 5, 1, 4, 0, 3}));
  CHECK(near(rot90(matrix, 2), {5, 4, 3, 2, 1, 0}));
  CHECK(near(rot90(matrix, -1), {3, 0, 4, 1, 5, 2}));
  CHECK(near(rot90(matrix, 1, {1, 0}), {3, 0, 4, 1, 5, 2}));
  CHECK(rot90(matrix, 4).lazy() == matrix.lazy());
}

TEST_CASE("unfold: windows, in a new last axis") {
  CHECK(near(unfold(vector({1, 2, 3, 4}), 0, 2, 1), {1, 2, 2, 3, 3, 4}));
  CHECK(near(unfold(vector({1, 2, 3, 4}), -1, 3, 2), {1, 2, 3}));
  CHECK(to_string(unfold(ones({5, 2}), 0, 2, 2)) == "f32[2, 2, 2]");
  CHECK(near(unfold(matrix, 0, 2, 1), {0, 3, 1, 4, 2, 5}));
  CHECK(to_string(unfold(ones({3}), 0, 0, 1)) == "f32[4, 0]");
  CHECK(to_string(unfold(ones({3}, boolean), 0, 3, 9)) == "bool[1, 3]");
}

TEST_CASE("rearrange: sizes that are symbols stay symbols") {
  Recorder recorder;
  RecorderScope scope(&recorder);
  const Extent n = recorder.symbol({.min = 3}, 6, Freedom::automatic, "n");
  const Tensor x = recorder.placeholder({f32, {n, 4}});
  CHECK(same(roll(x, 1, 0).shape()[0], n));
  CHECK(same(unfold(x, 0, 3, 1).shape()[0], n - 2));
  CHECK(same(unflatten(x, 1, {2, -1}).shape()[2], 2));
  CHECK(same(rot90(x).shape()[1], n));
  CHECK(recorder.assumptions().empty());
  CHECK(same(unfold(x, 0, 5, 1).shape()[0], n - 4));
  CHECK(recorder.assumptions().size() == 1);  // that there is a window
}

TEST_CASE("rearrange: mistakes name the line, the values, the rule and the way out") {
  MISTAKE(IndexError, roll(matrix, 1, 2), "roll: ", "axis  2");
  MISTAKE(ValueError, (roll(matrix, {1, 2}, {0})), "roll: there is not one shift for each axis");
  MISTAKE(ShapeError, (unflatten(matrix, 1, {2, 2})), "unflatten: ", "f32[2, 3]", "[2, 2]");
  MISTAKE(ShapeError, (unflatten(matrix, 1, {-1, -1})), "unflatten: ", "[-1, -1]");
  MISTAKE(ShapeError, (unflatten(matrix, 1, {2, -1})), "unflatten: ", "[2, -1]");
  MISTAKE(ValueError, (moveaxis(matrix, {0}, {0, 1})), "moveaxis: ", "[0, 1]");
  MISTAKE(ValueError, (moveaxis(matrix, {0, 0}, {0, 1})), "moveaxis: an axis is named twice");
  MISTAKE(ValueError, (rot90(matrix, 1, {0, -2})), "rot90: an axis is named twice");
  MISTAKE(IndexError, (rot90(matrix, 1, {0, 2})), "rot90: ");
  MISTAKE(ShapeError, unfold(matrix, 1, 4, 1), "unfold: the window is larger", "f32[2, 3]");
  MISTAKE(ValueError, unfold(matrix, 1, 2, 0), "unfold: the step is not positive", "2, 0");
  MISTAKE(ValueError, unfold(matrix, 1, -1, 1), "unfold: the size is negative");
  MISTAKE(IndexError, movedim(matrix, 0, 5), "movedim: ", "axis  5");
  MISTAKE(ValueError, movedim(matrix, {0, 1}, {0}), "movedim: ");
}
