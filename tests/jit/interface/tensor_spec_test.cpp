// test: moved
#include <doctest/doctest.h>
#include <sinter/jit/interface/tensor_spec.hpp>

#include "jit/support.hpp"

using namespace testing;

TEST_CASE("tensor_spec: the tensor of a specification has no elements to read") {
  const Tensor x = jit::tensor_of(TensorSpec{{2, 3}, f64});
  CHECK(x.dtype() == f64);
  CHECK(x.size(1).value() == 3);
  CHECK_THROWS_AS(x.to_vector<double>(), GraphBreakError);
}

TEST_CASE("tensor_spec: a marked dimension is marked on the tensor, and sizes are checked") {
  const TensorSpec spec = TensorSpec{{2, 3}}.dynamic(1, {.min = 2, .max = 8});
  const Tensor x = jit::tensor_of(spec);
  REQUIRE(x.marks() != nullptr);
  REQUIRE(x.marks()->size() == 1);
  CHECK(x.marks()->front().dim == 1);
  CHECK(x.marks()->front().range.max == 8);
  CHECK_THROWS_AS(jit::tensor_of(TensorSpec{{2, -3}}), ShapeError);
  CHECK_THROWS_AS(jit::tensor_of(TensorSpec{{2}}.dynamic(1)), IndexError);
}
