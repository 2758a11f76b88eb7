// test: moved
#include "testing.hpp"

#include <sinter/trace/core/handle.hpp>

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

TEST_CASE("Tensor: is a value, so that auto, ?: and containers behave") {
  const Tensor x = vector({1}), y = vector({2});
  const bool first = numbers(x)[0] > 0;
  const auto chosen = first ? x + 1 : y;
  std::vector<Tensor> list{chosen, y};
  list.push_back(list[0] * 2);
  CHECK(near(list.back(), {4}));
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
