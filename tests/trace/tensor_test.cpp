#include "testing.hpp"

#include <sinter/trace/tensor.hpp>

using namespace testing;

TEST_CASE("Tensor: knows its type without being evaluated") {
  const Tensor x = ones({2, 3}, f16);

  CHECK(x.defined());
  CHECK(x.dtype() == f16);
  CHECK(x.ndim() == 2);
  CHECK(same(x.shape(), Shape{2, 3}));
  CHECK(x.size(-1).number() == 3);
  CHECK(x.numel().number() == 6);
  CHECK(x.device() == current_device());
  CHECK_FALSE(x.lazy()->evaluated());
}

TEST_CASE("Tensor: without a value is undefined") {
  const Tensor none;
  CHECK_FALSE(none.defined());
  CHECK(to_string(none) == "undefined");
}

TEST_CASE("Tensor: to the device where it is gives the same value") {
  const Tensor x = ones({2});
  CHECK(x.to(current_device()).lazy() == x.lazy());
}

TEST_CASE("Tensor: is a value, so that auto, ?: and containers behave") {
  const Tensor x = vector({1}), y = vector({2});
  const bool first = numbers(x)[0] > 0;
  const auto chosen = first ? x + 1 : y;
  std::vector<Tensor> list{chosen, y};
  list.push_back(list[0] * 2);
  CHECK(near(list.back(), {4}));
}

TEST_CASE("Scalar: has the dtype of its number, and is weak beside a tensor") {
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

TEST_CASE("Operand: is a tensor, a scalar or a number, and notes its line") {
  const Operand number = 2;
  CHECK(number.where.line() == __LINE__ - 1);
  CHECK(number.is_number());
  CHECK(number.shape().empty());
  CHECK(to_string(number) == "2");
  CHECK(to_string(Operand(ones({2}))) == "f32[2]");
  CHECK(near(number.tensor(), {2}));
  CHECK(Operand(0.5).tensor().dtype() == f32);
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
