// test: moved
#include <sinter/trace/functional/pool/pool.hpp>

#include <algorithm>

#include "numerical_gradients.hpp"

using namespace testing;

namespace {

Tensor row = tensor({3, 1, 4, 1, 5, 9, 2}, {1, 1, 7});
const Shared shared{row};

}  // namespace

TEST_CASE("max_pool1d: takes the largest of each window") {
  CHECK(near(max_pool1d(row, 2), {3, 4, 9}));
  CHECK(near(max_pool1d(row, 3, {.stride = 1}), {4, 4, 5, 9, 9}));
  CHECK(near(max_pool1d(row, 3, {.padding = 1}), {3, 5, 9}));
  CHECK(near(max_pool1d(row, 2, {.stride = 1, .dilation = 3}), {3, 5, 9, 2}));
  CHECK(near(max_pool1d(row, 2, {.ceil_mode = true}), {3, 4, 9, 2}));
  CHECK(near(max_pool1d(neg(row), 3, {.padding = 1}), {-1, -1, -2}));
  CHECK(near(max_pool1d(tensor({1, not_a_number, 2, 3}, {1, 4}), 2), {not_a_number, 3}));
}

TEST_CASE("max_pool2d: is the plain loop") {
  const Tensor x = noise({2, 3, 5, 6});
  const Numbers from = numbers(x);
  Numbers expected;
  for (int plane = 0; plane < 6; ++plane) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 5; ++j) {
        double largest = -1e9;
        for (int y = std::max(0, 2 * i - 1); y <= std::min(4, 2 * i + 1); ++y) {
          for (int z = j; z < j + 2; ++z) {
            largest = std::max(largest, from[static_cast<std::size_t>((plane * 5 + y) * 6 + z)]);
          }
        }
        expected.push_back(largest);
      }
    }
  }
  CHECK(near(max_pool2d(x, {3, 2}, {.stride = {2, 1}, .padding = {1, 0}}), expected));
}

TEST_CASE("max_pool2d: integers pool as they are, whatever is padded") {
  const Tensor x = full({1, 2, 2}, -5).to(i32);
  CHECK(max_pool2d(x, 2, {.stride = 1, .padding = 1}).to_vector<std::int32_t>() ==
        std::vector<std::int32_t>(9, -5));
  CHECK(max_pool2d(x.to(i64), 2).dtype() == i64);
}

TEST_CASE("max_pool1d: the gradient goes to the first maximum of a window, all of it") {
  const auto loss = [](const Tensor& x) { return sum(max_pool1d(x, 3, {.stride = 1})); };
  CHECK(near(grad(loss)(tensor({2, 2, 1, 2, 0}, {1, 5})), {1, 1, 0, 1, 0}));
}

TEST_CASE("pools: gradients are those of differences") {
  const Tensor x = noise({1, 2, 5, 6});
  const auto largest = [](const Tensor& y) {
    return max_pool2d(y, {3, 2}, {.stride = {2, 1}, .padding = 1, .ceil_mode = true});
  };
  const auto average = [](const Tensor& y) {
    return avg_pool2d(
        y, {3, 2}, {.stride = {2, 3}, .padding = 1, .ceil_mode = true, .count_include_pad = false});
  };
  CHECK(slope_error(largest, x) < 1e-7);
  CHECK(slope_error(average, x) < 1e-7);
  CHECK(slope_error([](const Tensor& y) { return max_pool2d(y, 2); }, x) < 1e-7);
  CHECK(slope_error(
            [&](const Tensor& y) {
              return grad([&](const Tensor& z) { return weighted_sum(square(max_pool2d(z, 2))); })(
                  y);
            },
            x) < 1e-6);
}

TEST_CASE("avg_pool1d: counts padding, or not, and never what is behind it") {
  const Tensor x = tensor({2, 4, 6, 8, 10}, {1, 5});
  CHECK(near(avg_pool1d(x, 2), {3, 7}));
  CHECK(near(avg_pool1d(x, 3, {.stride = 2, .padding = 1}), {2, 6, 6}));
  CHECK(near(avg_pool1d(x, 3, {.stride = 2, .padding = 1, .count_include_pad = false}), {3, 6, 9}));
  CHECK(near(avg_pool1d(x, 2, {.ceil_mode = true}), {3, 7, 10}));
  CHECK(near(avg_pool1d(x, 2, {.divisor_override = 4}), {1.5, 3.5}));
  CHECK(near(avg_pool1d(x.to(bf16), 5), {6}));
  CHECK(avg_pool1d(x.to(bf16), 5).dtype() == bf16);
}

TEST_CASE("avg_pool3d, max_pool3d: take three spatial axes") {
  const Tensor x = counting({1, 2, 2, 2});
  CHECK(near(avg_pool3d(x, 2), {3.5}));
  CHECK(near(max_pool3d(x, {2, 1, 2}), {5, 7}));
}

TEST_CASE("pools: mistakes name the line, the values, the rule and the way out") {
  const Tensor x = ones({1, 3, 5, 5});
  MISTAKE(ShapeError, max_pool2d(ones({5, 5}), 2), "max_pool2d: ", "f32[5, 5]");
  MISTAKE(ShapeError, max_pool2d(x, 6), "larger than the input", "window 6");
  MISTAKE(ShapeError, avg_pool2d(x, {2, 2, 2}), "kernel_size");
  MISTAKE(ValueError, max_pool2d(x, 2, {.padding = 2}), "more than half");
  MISTAKE(ValueError, avg_pool2d(x, 2, {.divisor_override = 0}), "the divisor is 0");
  MISTAKE(DTypeError, avg_pool2d(x.to(i32), 2), "avg_pool2d: ", "i32[1, 3, 5, 5]");
}

TEST_CASE("pools: take stride and padding by position as well") {
  const Tensor x = arange(9).to(f32);
  const Tensor rows = reshape(x, {1, 9});
  CHECK(max_pool1d(rows, 3, 2).to_vector<float>() == std::vector<float>{2, 4, 6, 8});
  CHECK(avg_pool1d(rows, 3, 3, 0).to_vector<float>() == std::vector<float>{1, 4, 7});
  CHECK(same(max_pool2d(reshape(x, {1, 3, 3}), 2, 1).shape(), {1, 2, 2}));
}

TEST_CASE("pools: take options by name after a kernel that is a list or a number") {
  const Tensor x = reshape(arange(64).to(f32), {1, 8, 8});
  const Tensor row = reshape(x, {1, 64}), cube = reshape(x, {1, 4, 4, 4});
  CHECK(same(max_pool2d(x, {3, 2}, {.stride = {2, 1}}).shape(), {1, 3, 7}));
  CHECK(same(max_pool2d(x, 3, {.padding = {1, 1}}).shape(), {1, 3, 3}));
  CHECK(same(max_pool2d(x, 3, {.stride = {2, 1}, .padding = 1}).shape(), {1, 4, 8}));
  CHECK(same(max_pool2d(x, 2, {.dilation = {1, 2}}).shape(), {1, 4, 3}));
  CHECK(same(avg_pool2d(x, {3, 2}, {.stride = {2, 1}}).shape(), {1, 3, 7}));
  CHECK(same(avg_pool2d(x, 3, {.padding = {1, 1}, .count_include_pad = false}).shape(), {1, 3, 3}));
  CHECK(same(max_pool1d(row, {4}, {.stride = {3}}).shape(), {1, 21}));
  CHECK(same(avg_pool1d(row, {4}, {.stride = {3}}).shape(), {1, 21}));
  CHECK(same(max_pool3d(cube, {2, 1, 2}, {.stride = {1, 2, 1}}).shape(), {1, 3, 2, 3}));
  CHECK(same(avg_pool3d(cube, {2, 1, 2}, {.stride = {1, 2, 1}}).shape(), {1, 3, 2, 3}));
}

TEST_CASE("pools: take all that torch takes by position") {
  const Tensor x = reshape(arange(64).to(f32), {1, 8, 8});
  const std::vector<std::int64_t> kernel{3, 2}, stride{2, 1};
  CHECK(same(max_pool2d(x, kernel, stride).shape(), {1, 3, 7}));
  CHECK(same(max_pool2d(x, {3, 2}, {2, 1}, {1, 0}).shape(), {1, 4, 7}));
  CHECK(same(max_pool2d(x, 3, 2, 1, 2, true).shape(), {1, 4, 4}));
  CHECK(same(avg_pool2d(x, 3, {2, 2}, 0, true).shape(), {1, 4, 4}));
  CHECK(avg_pool2d(x, 8, 8, 0, false, true, 64).item<float>() == 31.5f);
}

TEST_CASE("pools: two lists are the kernel and the stride, names are options") {
  const Tensor x = reshape(arange(64).to(f32), {1, 8, 8});
  CHECK(same(max_pool2d(x, {2, 2}, {1, 1}).shape(), {1, 7, 7}));
  CHECK(same(avg_pool2d(x, 2, {.stride = 1, .padding = 1}).shape(), {1, 9, 9}));
}

TEST_CASE("avg_pool: means of i64 are rounded towards zero") {
  const Tensor x = reshape(integers({0, 1, 2, 3, -4, -3}), {1, 1, 6});

  CHECK(near(avg_pool1d(x, 2), {0, 2, -3}));
  CHECK(avg_pool1d(x, 2).dtype() == i64);
  CHECK(near(avg_pool1d(x, 2, {.divisor_override = -2}), {0, -2, 3}));
  CHECK(near(avg_pool1d(x, 2, {.padding = 1, .count_include_pad = false}), {0, 1, 0, -3}));
}
