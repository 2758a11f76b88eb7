// test: moved
#include "testing.hpp"

#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/ops/index/index.hpp>
#include <sinter/trace/ops/movement/concatenate.hpp>
#include <sinter/trace/ops/movement/movement.hpp>

#include <array>

using namespace testing;

TEST_CASE("concatenate: puts tensors behind each other, in the dtype in which they meet") {
  const Tensor x = counting({2, 3}), y = reshape(integers({7, 8}), {2, 1});
  CHECK(near(concatenate({x, y}, 1), {0, 1, 2, 7, 3, 4, 5, 8}));
  CHECK(to_string(concatenate({x, y}, -1)) == "f32[2, 4]");
  CHECK(to_string(cat({integers({1}), integers({2}).to(i8)})) == "i64[2]");
  CHECK(to_string(cat({ones({2}, boolean), ones({1}, boolean)})) == "bool[3]");
  CHECK(near(concatenate({x, zeros({0, 3}), x + 6}), {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  CHECK(to_string(concatenate({zeros({0}), x}, 1)) == "f32[2, 3]");  // nothing yet
  CHECK(to_string(concatenate({zeros({0}), zeros({0})})) == "f32[0]");
  CHECK(concatenate({x}).lazy() == x.lazy());
  CHECK(to_string(concatenate({ones({1, 1, 1, 1, 2, 1, 1, 1}), ones({1, 1, 1, 1, 1, 1, 1, 1})},
                              4)) == "f32[1, 1, 1, 1, 3, 1, 1, 1]");
}

TEST_CASE("concatenate: takes containers of tensors as well") {
  std::vector<Tensor> history;
  for (int i = 0; i < 40; ++i) history.push_back(full({1}, float(i)));
  const Tensor joined = concatenate(history);
  CHECK(joined.numel().number() == 40);
  CHECK(joined[39].item<float>() == 39);
  const std::array<Tensor, 2> two{ones({2}), zeros({1})};
  CHECK(near(concatenate(two), {1, 1, 0}));
}

TEST_CASE("stack: makes a new axis; hstack and vstack take the axis that NumPy takes") {
  const Tensor x = vector({1, 2}), y = vector({3, 4});
  CHECK(near(stack({x, y}), {1, 2, 3, 4}));
  CHECK(near(stack({x, y}, -1), {1, 3, 2, 4}));
  CHECK(to_string(stack({ones({}), ones({}), ones({})})) == "f32[3]");
  CHECK(to_string(stack({ones({0, 2})}, 1)) == "f32[0, 1, 2]");
  CHECK(near(hstack({x, y}), {1, 2, 3, 4}));
  CHECK(to_string(hstack({ones({2, 1}), ones({2, 3})})) == "f32[2, 4]");
  CHECK(to_string(vstack({x, ones({3, 2})})) == "f32[4, 2]");
  CHECK(to_string(hstack({ones({}), ones({})})) == "f32[2]");
}

TEST_CASE("split, chunk, unbind, narrow: take apart") {
  const Tensor x = counting({5, 2});
  const std::vector<Tensor> twos = split(x, 2);
  REQUIRE(twos.size() == 3);
  CHECK(near(twos[1], {4, 5, 6, 7}));
  CHECK(near(twos[2], {8, 9}));
  CHECK(near(split(x, {1, 0, 4})[2], {2, 3, 4, 5, 6, 7, 8, 9}));
  CHECK(to_string(split(x, {1, 0, 4})[1]) == "f32[0, 2]");
  CHECK(split(zeros({0, 2}), 3).size() == 1);
  CHECK(chunk(x, 3).size() == 3);
  CHECK(chunk(x, 4).size() == 3);  // of two rows each: a fourth would be empty
  CHECK(chunk(zeros({0}), 4).size() == 4);
  CHECK(near(chunk(x, 2, -1)[1], {1, 3, 5, 7, 9}));
  CHECK(near(unbind(x, 1)[0], {0, 2, 4, 6, 8}));
  CHECK(unbind(zeros({0, 3})).empty());
  CHECK(near(narrow(x, 0, -2, 1), {6, 7}));
  CHECK(to_string(narrow(x, 1, 2, 0)) == "f32[5, 0]");
}

TEST_CASE("concatenate: sizes that are symbols add up") {
  Recorder recorder;
  RecorderScope scope(&recorder);
  const Extent n = recorder.symbol({.min = 1}, 6, Freedom::automatic, "n");
  const Tensor x = recorder.placeholder({f32, {n, 4}});

  CHECK(same(concatenate({x, ones({2, 4}), x}).shape()[0], 2 * n + 2));
  CHECK(same(split(x, {1, n - 1})[1].shape()[0], n - 1));
  CHECK(same(chunk(concatenate({x, x}), 2)[1].shape()[0], n));
  CHECK(same(narrow(x, 0, 1, n - 1).shape()[0], n - 1));
  CHECK(recorder.assumptions().empty());
  const std::vector<Tensor> parts = chunk(x, 4);
  CHECK(parts.size() == 3);  // as many as there are now
  CHECK(same(parts[2].shape()[0], n - 2 * ceil_div(n, 4)));
  CHECK(split(x, 4).size() == 2);
  CHECK(same(recorder.resolve(n), n));
}

TEST_CASE("concatenate: mistakes name the line, the values, the rule and the way out") {
  const Tensor x = ones({3, 4}), y = ones({3, 5}), z = ones({4});
  const std::vector<Tensor> none;

  MISTAKE(ValueError, concatenate(none), "concatenate: there are no tensors");
  MISTAKE(ShapeError, (concatenate({x, y})), "tensor 0", "f32[3, 4]", "tensor 1", "f32[3, 5]");
  MISTAKE(ShapeError, (concatenate({x, x, z})), "shapes differ", "tensor 2", "f32[4]");
  MISTAKE(ShapeError, (concatenate({ones({}), ones({})})), "a tensor has no axes", "stack");
  MISTAKE(IndexError, (concatenate({x, x}, 2)), "concatenate: ", "axis  2");
  MISTAKE(ShapeError, (stack({x, y})), "stack: shapes differ", "f32[3, 5]");
  MISTAKE(IndexError, (stack({x, x}, 3)), "-3 <= axis < 3");
  MISTAKE(ValueError, split(x, 0), "split: the size is not positive");
  MISTAKE(ValueError, (split(x, {1, 1})), "do not add up", "[1, 1]", "f32[3, 4]");
  MISTAKE(ValueError, (split(x, {4, -1})), "do not add up");
  MISTAKE(ValueError, chunk(x, 0), "chunk: the number of parts is not positive");
  MISTAKE(IndexError, split(x, 1, 2), "split: ", "axis  2");
  MISTAKE(ValueError, narrow(x, 0, 2, 2), "narrow: ", "[2, 2]", "start + length <= 3");
}
