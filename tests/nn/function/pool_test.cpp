// test: moved
#include <sinter/nn/function/pool.hpp>

#include "trace/testing.hpp"

using namespace testing;

TEST_CASE("pools: are the functions with their options") {
  const Tensor x = counting({1, 4, 6});
  CHECK(near(nn::MaxPool2d{2}(x), {7, 9, 11, 19, 21, 23}));
  CHECK(near(nn::MaxPool2d{2}(x), numbers(max_pool2d(x, 2))));
  CHECK(near(nn::MaxPool1d{{3}, {.stride = 2, .padding = 1}}(x),
             numbers(max_pool1d(x, 3, {.stride = 2, .padding = 1}))));
  CHECK(near(nn::AvgPool2d{{2, 3}, {.padding = 1, .count_include_pad = false}}(x),
             numbers(avg_pool2d(x, {2, 3}, {.padding = 1, .count_include_pad = false}))));
  CHECK(near(nn::AvgPool1d{4, {.ceil_mode = true, .divisor_override = 2}}(x),
             numbers(avg_pool1d(x, 4, {.ceil_mode = true, .divisor_override = 2}))));
  CHECK(near(nn::AdaptiveAvgPool2d{1}(x), {11.5}));
  CHECK(near(nn::AdaptiveAvgPool1d{4}(x), numbers(adaptive_avg_pool1d(x, 4))));
  CHECK(near(nn::AdaptiveMaxPool2d{{2, 1}}(x), {11, 23}));
}

TEST_CASE("pools: mistakes name the line of the caller") {
  const nn::MaxPool2d pool{3};
  MISTAKE(ShapeError, pool(ones({4, 4})), "max_pool2d: ", "f32[4, 4]");
  MISTAKE(ShapeError, pool(ones({1, 2, 2})), "larger than the input");
}
