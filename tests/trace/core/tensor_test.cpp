// test: moved
#include "testing.hpp"

#include <sinter/trace/core/tensor.hpp>

using namespace testing;

TEST_CASE("Tensor: to the device where it is gives the same value") {
  const Tensor x = ones({2});
  CHECK(x.to(current_device()).lazy() == x.lazy());
}

TEST_CASE("Scalar: has the dtype of its number, and is weak next to a tensor") {
  CHECK(Scalar(1).dtype() == i64);
  CHECK(Scalar(0.5f).dtype() == f32);
  CHECK(Scalar(0.5).dtype() == f64);
  CHECK(Scalar(true).dtype() == boolean);
  CHECK((ones({2}, f16) * Scalar(0.5)).dtype() == f16);
  CHECK((ones({2}, i8) + Scalar(1)).dtype() == i8);
  CHECK(Scalar(2.5).item<int>() == 2);
}

TEST_CASE("Scalar: one that is f32 or f64 stays so, whatever number it is assigned") {
  Scalar single = 0.5f, wide = 0.5, whole = 1, mask = true;
  single = 0.1;
  CHECK(single.dtype() == f32);
  CHECK(single.item<double>() == static_cast<double>(0.1f));
  single = 3;
  CHECK(single.dtype() == f32);
  CHECK(single.item<int>() == 3);
  wide = 0.25f;
  CHECK(wide.dtype() == f64);
  whole = 0.5;
  CHECK(whole.dtype() == f64);
  mask = 7;
  CHECK(mask.dtype() == i64);
  single = sum(ones({2}, f64));  // a tensor is what it is
  CHECK(single.dtype() == f64);
}

TEST_CASE("Tensor: mistakes name the line, the values, the rule and the way out") {
  const Tensor x = ones({2, 3}), none;

  MISTAKE(ValueError, none.shape(), "tensor: the tensor is undefined", "defined()");
  MISTAKE(ValueError, none.dtype(), "undefined");
  MISTAKE(ValueError, none.ndim(), "undefined");
  MISTAKE(ValueError, none.numel(), "undefined");
  MISTAKE(ValueError, none.size(0), "undefined");
  MISTAKE(IndexError, x.size(2), "size: x has no such axis", "f32[2, 3]", "axis  2");
  MISTAKE(DeviceError, x.to(cuda(99)), "f32[2, 3]", "cuda", "cpu()");
  MISTAKE(ShapeError, Scalar(x), "Scalar: the tensor has axes", "f32[2, 3]");
}
