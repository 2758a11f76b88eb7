// test: moved
#include "testing.hpp"

#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/ops/movement/diagonal.hpp>

using namespace testing;

namespace {

Tensor matrix = counting({3, 4}) + 1;
const Shared shared{matrix};

}  // namespace

TEST_CASE("tril, triu: leave one side of a diagonal") {
  CHECK(near(tril(matrix), {1, 0, 0, 0, 5, 6, 0, 0, 9, 10, 11, 0}));
  CHECK(near(tril(matrix, -1), {0, 0, 0, 0, 5, 0, 0, 0, 9, 10, 0, 0}));
  CHECK(near(triu(matrix), {1, 2, 3, 4, 0, 6, 7, 8, 0, 0, 11, 12}));
  CHECK(near(triu(matrix, 2), {0, 0, 3, 4, 0, 0, 0, 8, 0, 0, 0, 0}));
  CHECK(to_string(triu(ones({2, 3, 3}, boolean), -5)) == "bool[2, 3, 3]");
  CHECK(near(tril(full({2, 2}, not_a_number)), {not_a_number, 0, not_a_number, not_a_number}));
  CHECK(to_string(tril(zeros({0, 2}))) == "f32[0, 2]");
}

TEST_CASE("diagonal: any, of any two axes") {
  CHECK(near(diagonal(matrix), {1, 6, 11}));
  CHECK(near(diagonal(matrix, 1), {2, 7, 12}));
  CHECK(near(diagonal(matrix, -2), {9}));
  CHECK(to_string(diagonal(matrix, 4)) == "f32[0]");
  CHECK(to_string(diagonal(ones({2, 3, 4}), 0, 0, 2)) == "f32[3, 2]");
  CHECK(near(diagonal(counting({2, 2, 2}), 0, -1, -2), {0, 3, 4, 7}));
  CHECK(to_string(diagonal(zeros({0, 0}))) == "f32[0]");
}

TEST_CASE("diag, trace: matrices of vectors, vectors and numbers of matrices") {
  CHECK(near(diag(vector({1, 2})), {1, 0, 0, 2}));
  CHECK(near(diag(vector({1, 2}), 1), {0, 1, 0, 0, 0, 2, 0, 0, 0}));
  CHECK(near(diag(vector({1, 2}), -1), {0, 0, 0, 1, 0, 0, 0, 2, 0}));
  CHECK(near(diag(matrix, 1), {2, 7, 12}));
  CHECK(to_string(diag(zeros({0}), 2)) == "f32[2, 2]");
  CHECK(trace(matrix).item<float>() == 18);
  CHECK(trace(ones({2, 2}, i32)).dtype() == i64);
}

TEST_CASE("diagonal: sizes that are symbols stay symbols") {
  Recorder recorder;
  RecorderScope scope(&recorder);
  const Extent n = recorder.symbol({.min = 0}, 6, Freedom::automatic, "n");
  const Tensor x = recorder.placeholder({f32, {n, n}}), y = recorder.placeholder({f32, {n, 9}});
  CHECK(same(diagonal(x).shape()[0], n));
  CHECK(same(diagonal(y, 1).shape()[0], min(n, 8)));
  CHECK(same(diag(diagonal(x), -2).shape()[0], n + 2));
  CHECK(same(tril(x).shape()[1], n));
  CHECK(recorder.assumptions().empty());
}

TEST_CASE("diagonal: mistakes name the line, the values, the rule and the way out") {
  MISTAKE(ShapeError, tril(ones({3})), "tril: x is not a matrix", "f32[3]");
  MISTAKE(ShapeError, triu(ones({})), "triu: x is not a matrix", "f32[]");
  MISTAKE(IndexError, diagonal(ones({3})), "diagonal: ", "axis  1");
  MISTAKE(ValueError, diagonal(matrix, 0, 1, -1), "diagonal: an axis is named twice");
  MISTAKE(ShapeError, diag(ones({2, 2, 2})), "diag: x is not a matrix", "a vector or a matrix");
  MISTAKE(ShapeError, trace(ones({2})), "trace: x is not a matrix");
}
