// test: moved
#include "testing.hpp"

#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/ops/movement/movement.hpp>

using namespace testing;

namespace {

Tensor matrix = counting({2, 3});
const Shared shared{matrix};

}  // namespace

TEST_CASE("reshape: keeps the elements row by row, and computes -1") {
  CHECK(to_string(reshape(matrix, {3, 2})) == "f32[3, 2]");
  CHECK(near(reshape(matrix, {-1}), {0, 1, 2, 3, 4, 5}));
  CHECK(to_string(reshape(matrix, {3, -1, 1})) == "f32[3, 2, 1]");
  CHECK(to_string(reshape(ones({0, 4}), {2, 0})) == "f32[2, 0]");
  CHECK(to_string(reshape(ones({1}), {})) == "f32[]");
}

TEST_CASE("flatten: makes one axis of several") {
  const Tensor x = ones({2, 3, 4});
  CHECK(to_string(flatten(x)) == "f32[24]");
  CHECK(to_string(flatten(x, 1)) == "f32[2, 12]");
  CHECK(to_string(flatten(x, 0, -2)) == "f32[6, 4]");
  CHECK(to_string(flatten(ones({}))) == "f32[1]");
}

TEST_CASE("permute, transpose: move axes") {
  CHECK(near(permute(matrix, {1, 0}), {0, 3, 1, 4, 2, 5}));
  CHECK(near(transpose(matrix, -1, -2), {0, 3, 1, 4, 2, 5}));
  CHECK(to_string(permute(ones({2, 3, 4}), {2, 0, 1})) == "f32[4, 2, 3]");
  CHECK(permute(matrix, {0, 1}).lazy() == matrix.lazy());
}

TEST_CASE("expand: repeats axes of extent 1 and adds axes in front") {
  CHECK(near(expand(reshape(vector({1, 2}), {2, 1}), {2, 3}), {1, 1, 1, 2, 2, 2}));
  CHECK(to_string(expand(matrix, {5, -1, -1})) == "f32[5, 2, 3]");
  CHECK(to_string(expand(ones({1}), {0})) == "f32[0]");
}

TEST_CASE("squeeze, unsqueeze: drop and add axes of extent 1") {
  const Tensor x = ones({1, 2, 1});
  CHECK(to_string(squeeze(x)) == "f32[2]");
  CHECK(to_string(squeeze(x, -1)) == "f32[1, 2]");
  CHECK(to_string(squeeze(x, 1)) == "f32[1, 2, 1]");
  CHECK(to_string(unsqueeze(matrix, 0)) == "f32[1, 2, 3]");
  CHECK(to_string(unsqueeze(matrix, -1)) == "f32[2, 3, 1]");
}

TEST_CASE("pad: puts a number around") {
  CHECK(near(pad(matrix, {{0, 1}, {1, 0}}), {0, 0, 1, 2, 0, 3, 4, 5, 0, 0, 0, 0}));
  CHECK(near(pad(vector({1}), {{1, 1}}, 7), {7, 1, 7}));
}

TEST_CASE("slice, flip: take a part, and the other way round") {
  CHECK(near(slice(matrix, 1, 1, 3), {1, 2, 4, 5}));
  CHECK(near(slice(matrix, -1, 0, 3, 2), {0, 2, 3, 5}));
  CHECK(near(slice(matrix, 0, -1, 2), {3, 4, 5}));
  CHECK(near(flip(matrix, 1), {2, 1, 0, 5, 4, 3}));
  CHECK(near(flip(matrix, {0, 1}), {5, 4, 3, 2, 1, 0}));
}

TEST_CASE("movement: tensors may have 10 axes, and no more") {
  const Tensor x = counting({2, 1, 2, 1, 3, 1, 1, 2});
  const Tensor turned = permute(x, {7, 6, 5, 4, 3, 2, 1, 0});
  CHECK(to_string(turned) == "f32[2, 1, 1, 3, 1, 2, 1, 2]");
  CHECK(alike(flip(flip(turned, all_axes), all_axes), turned));
  CHECK(alike(permute(turned, {7, 6, 5, 4, 3, 2, 1, 0}), x));
  CHECK(to_string(slice(x, 4, 2, 9)) == "f32[2, 1, 2, 1, 1, 1, 1, 2]");
  CHECK(to_string(expand(x, {-1, 5, -1, 2, -1, 1, 1, -1})) == "f32[2, 5, 2, 2, 3, 1, 1, 2]");
  CHECK(to_string(squeeze(x)) == "f32[2, 2, 3, 2]");
  const Tensor most = unsqueeze(unsqueeze(x, 0), -1);
  CHECK(to_string(most) == "f32[1, 2, 1, 2, 1, 3, 1, 1, 2, 1]");
  CHECK_THROWS_AS(unsqueeze(most, 0), ShapeError);
}

TEST_CASE("movement: sizes that are symbols stay symbols") {
  Recorder recorder;
  RecorderScope scope(&recorder);
  const Extent n = recorder.symbol({.min = 1}, 6, Freedom::automatic, "n");
  const Tensor x = recorder.placeholder({f32, {n, 4}});

  CHECK(same(reshape(x, {-1}).shape()[0], n * 4));
  CHECK(same(reshape(x, {2, -1}).shape()[1], floor_div(n * 4, 2)));
  CHECK(same(reshape(reshape(x, {n * 4}), {-1, 4}).shape()[0], n));
  CHECK(same(slice(x, 0, 1, n).shape()[0], n - 1));
  CHECK(same(pad(x, {{n, 1}, {0, 0}}).shape()[0], n + n + 1));
  CHECK(recorder.assumptions().empty());
}

TEST_CASE("reshape: to more elements than a size can be is refused at its line") {
  const std::int64_t many = std::int64_t{1} << 40;
  MISTAKE(ShapeError, reshape(ones({2}), {many, many}), "reshape: ", "too many elements");
  MISTAKE(ShapeError, reshape(ones({2}), {-1, many, many}), "reshape: ", "[-1, 1099511627776, 10");
}

TEST_CASE("movement: mistakes name the line, the values, the rule and the way out") {
  const Tensor x = ones({3, 4});

  MISTAKE(ShapeError, reshape(x, {5, 5}), "reshape: sizes differ", "f32[3, 4]", "12 and 25");
  MISTAKE(ShapeError, reshape(x, {-1, -1}), "more than one extent is -1", "[-1, -1]");
  MISTAKE(ShapeError, reshape(x, {5, -1}), "do not divide the size", "[5, -1]", "12 and 5 * n",
          "fix   choose other extents whose product divides 12");
  MISTAKE(IndexError, flatten(x, 0, 2), "flatten: ", "axis  2");
  MISTAKE(ValueError, flatten(x, 1, 0), "flatten: the first axis comes after the last", "first 1");
  MISTAKE(ValueError, permute(x, {0, 0}), "permute: ", "[0, 0]", "f32[3, 4]");
  MISTAKE(ValueError, permute(x, {0}), "permute: the axes are not a permutation", "[0]");
  MISTAKE(IndexError, transpose(x, 0, 2), "transpose: ", "axis  2");
  MISTAKE(ShapeError, expand(x, {3, 5}), "expand: ", "f32[3, 4]", "[3, 5]");
  MISTAKE(ShapeError, expand(x, {4}), "expand: ", "f32[3, 4]", "[4]");
  MISTAKE(IndexError, squeeze(x, 2), "squeeze: ", "axis  2");
  MISTAKE(IndexError, unsqueeze(x, 3), "unsqueeze: the result has no such axis", "-3 <= axis < 3");
  MISTAKE(ShapeError, pad(x, {{1, 1}}), "pad: ", "f32[3, 4]", "pairs 1");
  MISTAKE(ValueError, pad(x, {{1, -1}, {0, 0}}), "pad: a width is negative", "1, -1");
  MISTAKE(ValueError, (pad(x, {{1, 1}, {0, 0}}, x)), "pad: the value is not a number");
  MISTAKE(ShapeError, reshape(x, {-2, -1}), "do not divide the size", "[-2, -1]");
  MISTAKE(ShapeError, reshape(zeros({0}), {0, -1}), "any extent fits -1", "[0, -1]", "flatten");
  MISTAKE(ValueError, slice(x, 0, 0, 3, 0), "slice: the step is not positive", "step  0");
  MISTAKE(IndexError, flip(x, 2), "flip: ", "axis  2");
}
