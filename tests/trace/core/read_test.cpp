// test: moved
#include "testing.hpp"

#include <sinter/trace/core/read.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

using namespace testing;

TEST_CASE("item: converts the one element") {
  CHECK(full({1, 1}, 2.75).item<float>() == 2.75f);
  CHECK(full({}, 2.75).item<int>() == 2);
  CHECK(full({}, 3).item<double>() == 3.0);
  CHECK(full({}, 3, bf16).item<float>() == 3.0f);
  CHECK(full({}, 0.5).item<bool>());
}

TEST_CASE("to_vector, data: give the elements row by row, in their own type") {
  const Tensor x = add(counting({2, 2}), 1);
  CHECK(x.to_vector<float>() == std::vector<float>{1, 2, 3, 4});
  CHECK(x.data<float>()[3] == 4);
  CHECK(x.data<float>() == x.data<float>());
  CHECK(gt(x, 2).to_vector<bool>() == std::vector<bool>{false, false, true, true});
  CHECK(ones({0, 3}).to_vector<float>().empty());
}

TEST_CASE("if: is true for an element that is not 0") {
  CHECK(static_cast<bool>(ones({})));
  CHECK_FALSE(static_cast<bool>(zeros({1})));
  CHECK(static_cast<bool>(lt(sum(ones({3})), 4)));
}

TEST_CASE("read: mistakes name the line, the values, the rule and the way out") {
  const Tensor x = ones({2, 3}), none;

  MISTAKE(ShapeError, x.item<float>(), "item: the tensor does not have one element", "f32[2, 3]");
  MISTAKE(ShapeError, ones({0}).item<float>(), "f32[0]");
  MISTAKE(DTypeError, x.to_vector<double>(), "f32[2, 3]", "asked f64", "x.to(f64)");
  MISTAKE(DTypeError, x.data<std::int32_t>(), "asked i32");
  MISTAKE(ValueError, none.item<float>(), "undefined");
  MISTAKE(ValueError, none.to_vector<float>(), "undefined");
}

TEST_CASE("if: a tensor of many elements throws and names the line that made it") {
  const Tensor x = gt(ones({2}), 0);
  const unsigned line = __LINE__ - 1;
  try {
    if (x) FAIL_CHECK("nothing was thrown");
  } catch (const ShapeError& error) {
    CHECK(error.where().line() == line);
    CHECK(std::string(error.what()).find("any(x)") != std::string::npos);
  }
}
