// test: moved
#include "testing.hpp"

#include <sinter/jit/compile.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/product/product.hpp>

using namespace testing;

namespace {

Tensor matrix = tensor({1, 2, 3, 4, 5, 6}, {2, 3});
const Shared shared{matrix};

}  // namespace

TEST_CASE("matmul: multiplies matrices, rows and columns") {
  CHECK(near(matmul(matrix, transpose(matrix, 0, 1)), {14, 32, 32, 77}));
  CHECK(near(matmul(matrix, vector({1, 0, -1})), {-2, -2}));
  CHECK(near(matmul(vector({1, -1}), matrix), {-3, -3, -3}));
  CHECK(near(matmul(vector({1, 2}), vector({3, 4})), {11}));
  CHECK(matmul(vector({1, 2}), vector({3, 4})).ndim() == 0);
}

TEST_CASE("matmul: leading axes broadcast") {
  CHECK(to_string(matmul(ones({7, 2, 3}), ones({3, 5}))) == "f32[7, 2, 5]");
  CHECK(to_string(matmul(ones({2, 3}), ones({7, 3, 5}))) == "f32[7, 2, 5]");
  CHECK(to_string(matmul(ones({6, 1, 2, 3}), ones({7, 3, 5}))) == "f32[6, 7, 2, 5]");
  CHECK(to_string(matmul(ones({3}), ones({7, 3, 5}))) == "f32[7, 5]");
  CHECK(to_string(matmul(ones({7, 2, 3}), ones({3}))) == "f32[7, 2]");
  const Tensor batch = counting({2, 2, 2});
  CHECK(near(matmul(batch, tensor({0, 1, 1, 0}, {2, 2})), {1, 0, 3, 2, 5, 4, 7, 6}));
  CHECK(near(matmul(tensor({0, 1, 1, 0}, {2, 2}), batch), {2, 3, 0, 1, 6, 7, 4, 5}));
}

TEST_CASE("matmul: of nothing is 0, integers stay integers") {
  CHECK(near(matmul(ones({2, 0}), ones({0, 2})), {0, 0, 0, 0}));
  CHECK(matmul(ones({2, 2}, i32), ones({2, 2}, i32)).dtype() == i32);
  CHECK(matmul(ones({2, 2}, f16), ones({2, 2})).dtype() == f32);
}

TEST_CASE("linear: is the layer of torch, whose weight is (out, in)") {
  const Tensor weight = tensor({1, 0, 0, 0, 1, 1}, {2, 3}), bias = vector({10, 20});

  CHECK(near(linear(matrix, weight), {1, 5, 4, 11}));
  CHECK(near(linear(matrix, weight, bias), {11, 25, 14, 31}));
  CHECK(to_string(linear(ones({4, 5, 3}), weight, bias)) == "f32[4, 5, 2]");
  CHECK(near(linear(vector({1, 2, 3}), weight), {1, 5}));
}

TEST_CASE("outer: multiplies each with each") {
  CHECK(near(outer(vector({1, 2}), vector({3, 4, 5})), {3, 4, 5, 6, 8, 10}));
}

TEST_CASE("dot, inner, mv, mm, bmm: are matmul of fixed ranks") {
  const Tensor batch = counting({2, 2, 3});

  CHECK(near(dot(vector({1, 2}), vector({3, 4})), {11}));
  CHECK(near(dot(ones({0}), ones({0})), {0}));
  CHECK(near(inner(matrix, vector({1, 0, 2})), {7, 16}));
  CHECK(to_string(inner(ones({2, 4}), ones({3, 5, 4}))) == "f32[2, 3, 5]");
  CHECK(near(inner(vector({1, 2}), 3), {3, 6}));
  CHECK(near(mv(matrix, vector({1, 1, 1})), {6, 15}));
  CHECK(near(mm(matrix, transpose(matrix, 0, 1)), {14, 32, 32, 77}));
  CHECK(near(bmm(batch, transpose(batch, 1, 2)), {5, 14, 14, 50, 149, 212, 212, 302}));
}

TEST_CASE("tensordot: sums over pairs of axes") {
  const Tensor x = counting({2, 3, 4}), y = counting({4, 3, 5});

  CHECK(to_string(tensordot(x, y, {1, 2}, {1, 0})) == "f32[2, 5]");
  CHECK(alike(tensordot(x, y, {2, 1}, {0, 1}), tensordot(x, y, {1, 2}, {1, 0})));
  CHECK(near(tensordot(matrix, matrix), {91}));
  CHECK(to_string(tensordot(x, y, 1)) == "f32[2, 3, 3, 5]");
  CHECK(near(tensordot(vector({1, 2}), vector({3, 4, 5}), 0), {3, 4, 5, 6, 8, 10}));
  CHECK(near(tensordot(matrix, integers({1, 0, 2}), {-1}, {0}), {7, 16}));
}

TEST_CASE("cross: is orthogonal to both") {
  CHECK(near(cross(vector({1, 0, 0}), vector({0, 1, 0})), {0, 0, 1}));
  CHECK(near(cross(matrix, vector({1, 2, 4})), {2, -1, 0, 8, -10, 3}));
  CHECK(near(cross(counting({3, 1}), tensor({2, 0, 1}, {3, 1}), 0), {1, 4, -2}));
}

TEST_CASE("product: mistakes name the line, the values, the rule and the way out") {
  const Tensor x = ones({3, 4});

  MISTAKE(ShapeError, matmul(x, x), "matmul: inner extents differ", "lhs   f32[3, 4]", "transpose");
  MISTAKE(ShapeError, matmul(x, ones({3})), "lhs.shape[-1] == rhs.shape[0]", "rhs   f32[3]");
  MISTAKE(ShapeError, matmul(x, 2), "matmul: an operand has no axes", "rhs   2", "with *");
  MISTAKE(ShapeError, matmul(ones({2, 3, 4}), ones({3, 4, 5})), "matmul: ", "f32[2, 3, 4]");
  MISTAKE(DTypeError, matmul(gt(x, 0), gt(ones({4}), 0)), "boolean", "bool[3, 4]", ".to(f32)");
  MISTAKE(ShapeError, linear(x, ones({2, 3})), "linear: ", "f32[3, 4]", "f32[2, 3]");
  MISTAKE(ShapeError, linear(x, ones({2, 4}), ones({3})), "linear: ", "f32[3]");
  MISTAKE(ShapeError, outer(x, x), "outer: ", "lhs.ndim() == 1");
  MISTAKE(ShapeError, dot(ones({2}), ones({3})), "dot: extents differ", "f32[2]", "f32[3]");
  MISTAKE(ShapeError, mm(x, ones({4})), "mm: ", "f32[4]", "matmul");
  MISTAKE(ShapeError, bmm(ones({2, 3, 4}), ones({1, 4, 5})), "bmm: ", "f32[1, 4, 5]");
  MISTAKE(ShapeError, tensordot(x, x, {0}, {1}), "lhs.shape[0] == rhs.shape[1]");
  MISTAKE(ShapeError, tensordot(x, x, {0}, {}), "tensordot: the axes are not pairs");
  MISTAKE(IndexError, tensordot(x, x, 3), "tensordot: ", "axis  -3");
  MISTAKE(ShapeError, cross(x, x), "cross: ", "lhs.shape[axis] == 3");
  MISTAKE(ShapeError, mm(ones({2, 3}), ones({4, 2})), "mm: ", "lhs.shape[1] == rhs.shape[0]");
  MISTAKE(ShapeError, mv(ones({2, 3}), ones({4})), "mv: ", "f32[2, 3]", "f32[4]");
}

TEST_CASE("linear: a weight of rank 1 gives one number for each row, and takes no bias") {
  const Tensor x = tensor({1, 2, 3, 4, 5, 6}, {2, 3}), weight = vector({1, 0, 2});

  CHECK(near(linear(x, weight), {7, 16}));
  CHECK(linear(vector({1, 2, 3}), weight).shape() == Shape{});
  MISTAKE(ShapeError, linear(x, weight, ones({1})), "linear: ", "f32[3]", "without a bias");
  MISTAKE(ShapeError, linear(x, ones({2})), "linear: ", "f32[2]");
}

TEST_CASE("tensordot: an extent of 1 meets the sum of the other axis") {
  const Tensor column = tensor({1, 2}, {2, 1}), x = tensor({1, 2, 3, 4, 5, 6}, {3, 2});

  CHECK(near(tensordot(column, x, 1), {9, 12, 18, 24}));
  CHECK(near(tensordot(x, ones({1, 2}), 1), {3, 3, 7, 7, 11, 11}));
  CHECK(near(tensordot(ones({1, 2}), x, {0}, {0}), {9, 12, 9, 12}));
  auto compiled = compile([](const Tensor& a, const Tensor& b) { return tensordot(a, b, 1); });
  CHECK(near(compiled(column, x), {9, 12, 18, 24}));
  MISTAKE(ShapeError, tensordot(x, x, 1), "tensordot: extents differ", "f32[3, 2]", "or 1");
  MISTAKE(ShapeError, inner(ones({1}), ones({3})), "inner: extents differ", "f32[3]");
}
