// test: moved
#include "testing.hpp"

#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/movement/repeat.hpp>

using namespace testing;

TEST_CASE("repeat, tile: repeat the whole tensor") {
  const Tensor x = counting({2, 2});
  CHECK(near(repeat(x, {1, 2}), {0, 1, 0, 1, 2, 3, 2, 3}));
  CHECK(near(repeat(x, {2, 1}), {0, 1, 2, 3, 0, 1, 2, 3}));
  CHECK(to_string(repeat(x, {3, 1, 0})) == "f32[3, 2, 0]");
  CHECK(near(repeat(full({}, 7), {3}), {7, 7, 7}));
  CHECK(repeat(x, {1, 1}).lazy() == x.lazy());
  CHECK(near(tile(x, {2}), {0, 1, 0, 1, 2, 3, 2, 3}));
  CHECK(to_string(tile(x, {2, 1, 1})) == "f32[2, 2, 2]");
}

TEST_CASE("repeat: as many axes as there can be") {
  const Tensor x = counting({2, 1, 1, 2, 1, 1, 1, 2});
  const Tensor y = repeat(x, {2, 3, 1, 2, 1, 1, 1, 2});
  CHECK(to_string(y) == "f32[4, 3, 1, 4, 1, 1, 1, 4]");
  const Numbers found = numbers(y), from = numbers(x);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t a = i / 48, d = i / 4 % 4, h = i % 4;
    CHECK(found[i] == from[a % 2 * 4 + d % 2 * 2 + h % 2]);
  }
}

TEST_CASE("repeat_interleave: repeats each element") {
  const Tensor x = counting({2, 2});
  CHECK(near(repeat_interleave(x, 2), {0, 0, 1, 1, 2, 2, 3, 3}));
  CHECK(near(repeat_interleave(x, 2, 0), {0, 1, 0, 1, 2, 3, 2, 3}));
  CHECK(near(repeat_interleave(x, 2, -1), {0, 0, 1, 1, 2, 2, 3, 3}));
  CHECK(to_string(repeat_interleave(x, 0, 0)) == "f32[0, 2]");
}

TEST_CASE("broadcast_to, broadcast_tensors: are in the shape in which operands meet") {
  CHECK(near(broadcast_to(vector({1, 2}), {2, 2}), {1, 2, 1, 2}));
  const auto both = broadcast_tensors({reshape(vector({1, 2}), {2, 1}), vector({5, 6, 7})});
  CHECK(near(both[0], {1, 1, 1, 2, 2, 2}));
  CHECK(near(both[1], {5, 6, 7, 5, 6, 7}));
  MISTAKE(ShapeError, broadcast_to(vector({1, 2}), {2, 3}), "broadcast_to: the shape cannot");
}

TEST_CASE("meshgrid: element j of vector i wherever index i is j") {
  const Tensor x = vector({1, 2}), y = vector({5, 6, 7});
  CHECK(near(meshgrid({x, y})[0], {1, 1, 1, 2, 2, 2}));
  CHECK(near(meshgrid({x, y})[1], {5, 6, 7, 5, 6, 7}));
  CHECK(near(meshgrid({x, y}, "xy")[0], {1, 2, 1, 2, 1, 2}));
  CHECK(to_string(meshgrid({x, y, ones({})}, "xy")[2]) == "f32[3, 2, 1]");
}

TEST_CASE("repeat: sizes that are symbols stay symbols") {
  Recorder recorder;
  RecorderScope scope(&recorder);
  const Extent n = recorder.symbol({.min = 1}, 6, Freedom::automatic, "n");
  const Tensor x = recorder.placeholder({f32, {n, 4}});
  CHECK(same(repeat(x, {2, 1}).shape()[0], 2 * n));
  CHECK(same(repeat(x, {1, n}).shape()[1], 4 * n));
  CHECK(same(repeat_interleave(x, n, 1).shape()[1], 4 * n));
  CHECK(recorder.assumptions().empty());
}

TEST_CASE("repeat: mistakes name the line, the values, the rule and the way out") {
  const Tensor x = ones({3, 4});
  MISTAKE(ShapeError, repeat(x, {2}), "repeat: there are fewer counts than axes", "[2]");
  MISTAKE(ShapeError, (repeat(x, {2, -1})), "repeat: a count is negative", "[2, -1]");
  MISTAKE(ShapeError, tile(x, {-2}), "tile: a count is negative");
  MISTAKE(ValueError, repeat_interleave(x, -1), "repeat_interleave: the count is negative");
  const std::int64_t many = std::int64_t{1} << 59;
  MISTAKE(ShapeError, (repeat(x, {many, 1})), "too many elements", "576460752303423488, 3, 4");
  MISTAKE(ShapeError, (repeat_interleave(x, many)), "too many elements", "576460752303423488");
  MISTAKE(IndexError, repeat_interleave(x, 2, 2), "repeat_interleave: ", "axis  2");
  MISTAKE(ShapeError, (meshgrid({x, x})), "meshgrid: a tensor is not a vector", "f32[3, 4]");
  MISTAKE(ValueError, (meshgrid({ones({2})}, "yx")), "meshgrid: there is no such indexing", "yx");
  MISTAKE(ShapeError, (broadcast_tensors({x, ones({3})})), "broadcast_tensors: ", "f32[3, 4]");
}
