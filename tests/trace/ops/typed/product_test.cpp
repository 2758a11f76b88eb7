// test: moved
#include "testing.hpp"

#include <sinter/trace/ops/typed/product.hpp>

using namespace testing;

TEST_CASE("matmul: of typed operands has the dimensions of the product") {
  const TensorOf<float, "batch", 3> x = counting({2, 3});
  const TensorOf<float, 3, 4> w = counting({3, 4});
  const TensorOf<float, 3> column = ones({3});
  const TensorOf<float, "heads", "batch", 3> deep = ones({5, 2, 3});

  const TensorOf<float, "batch", 4> product = matmul(x, w);
  const TensorOf<float, "batch"> rows = matmul(x, column);
  const TensorOf<float, 4> row = matmul(column, w);
  const TensorOf<float> dot = matmul(column, column);
  const TensorOf<float, "heads", "batch", 4> batches = matmul(deep, w);

  CHECK(alike(product, matmul(Tensor(x), Tensor(w))));
  CHECK(near(rows, {3, 12}));
  CHECK(near(row, {12, 15, 18, 21}));
  CHECK(near(dot, {3}));
  CHECK(to_string(batches) == "f32[5, 2, 4]");
  static_assert(std::is_same_v<decltype(matmul(x, w)), TensorOf<float, "batch", 4>>);
}

TEST_CASE("matmul: expressions are recorded first; with a Tensor it is untyped") {
  const TensorOf<float, "batch", 3> x = counting({2, 3});
  const TensorOf<float, 3, 4> w = counting({3, 4});
  CHECK(alike(matmul(x + 1, w * 2), matmul(Tensor(x) + 1, Tensor(w) * 2)));
  static_assert(std::is_same_v<decltype(matmul(x, Tensor(w))), Tensor>);
}

TEST_CASE("linear, outer, bmm, dot: of typed operands have typed results") {
  const TensorOf<float, "batch", 3> x = counting({2, 3});
  const TensorOf<float, 4, 3> weight = counting({4, 3});
  const TensorOf<float, 4> bias = ones({4});
  const TensorOf<float, "batch", 2, 3> rows = counting({5, 2, 3});
  const TensorOf<float, "batch", 3, 4> columns = counting({5, 3, 4});

  const TensorOf<float, "batch", 4> affine = linear(x, weight, bias), plain = linear(x, weight);
  const TensorOf<float, 4, 4> table = outer(bias, bias);
  const TensorOf<float, "batch", 2, 4> products = bmm(rows, columns);
  const TensorOf<float> length = dot(bias, bias);

  CHECK(alike(affine, linear(Tensor(x), Tensor(weight), Tensor(bias))));
  CHECK(alike(plain, linear(Tensor(x), Tensor(weight))));
  CHECK(alike(table, ones({16})));
  CHECK(alike(products, bmm(Tensor(rows), Tensor(columns))));
  CHECK(near(length, {4}));
  static_assert(std::is_same_v<decltype(linear(x, Tensor(weight))), Tensor>);
}
