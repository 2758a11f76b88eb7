// test: moved
#include <sinter/trace/functional/convolution/convolution.hpp>
#include <sinter/trace/functional/convolution/transposed.hpp>

#include "numerical_gradients.hpp"

using namespace testing;

TEST_CASE("conv_transpose2d: is the gradient of conv2d with the same weight") {
  for (const std::int64_t groups : {1, 2}) {
    for (const std::int64_t stride : {1, 2, 3}) {
      const Tensor x = noise({2, 4, 7, 7}), weight = noise({6, 4 / groups, 3, 2});
      const auto forward = [&](const Tensor& y) {
        return conv2d(y, weight, {.stride = stride, .padding = {1, 0}, .groups = groups});
      };
      const Tensor g = noise(forward(x).shape());
      const Tensor expected = grad([&](const Tensor& y) { return sum(mul(forward(y), g)); })(x);
      const std::int64_t rest[]{(7 + 2 - 3) % stride, (7 - 2) % stride};
      const Tensor found = conv_transpose2d(g, weight,
                                            {.stride = stride,
                                             .padding = {1, 0},
                                             .output_padding = {rest[0], rest[1]},
                                             .groups = groups});
      CHECK(alike(found, expected, 1e-12));
    }
  }
}

TEST_CASE("conv_transpose1d: adds each element times the kernel at its place") {
  const Tensor x = tensor({1, 2}, {1, 2}), weight = tensor({1, 10, 100}, {1, 1, 3});
  CHECK(near(conv_transpose1d(x, weight), {1, 12, 120, 200}));
  CHECK(near(conv_transpose1d(x, weight, {.stride = 3}), {1, 10, 100, 2, 20, 200}));
  CHECK(near(conv_transpose1d(x, weight, {.padding = 1}), {12, 120}));
  CHECK(near(conv_transpose1d(x, weight, {.dilation = 2}), {1, 2, 10, 20, 100, 200}));
  CHECK(near(conv_transpose1d(x, weight, vector({5})), {6, 17, 125, 205}));
}

TEST_CASE("conv_transpose3d: gradients are those of differences") {
  const Tensor x = noise({1, 2, 2, 3, 2}), weight = noise({2, 2, 2, 1, 2});
  const auto f = [&](const Tensor& y) {
    return conv_transpose3d(y, weight, {.stride = {2, 1, 2}, .padding = {1, 0, 0}});
  };
  CHECK(slope_error(f, x) < 1e-7);
}

TEST_CASE("conv_transpose2d: mistakes name the line, the values, the rule and the way out") {
  const Tensor x = ones({1, 4, 5, 5}), weight = ones({4, 2, 3, 3});
  MISTAKE(ShapeError, conv_transpose2d(x, ones({3, 2, 3, 3})), "conv_transpose2d: ", "f32[3, 2");
  MISTAKE(ShapeError, conv_transpose2d(x, weight, {.padding = 9}), "larger than the result");
  MISTAKE(ValueError, conv_transpose2d(x, weight, {.output_padding = 1}), "output padding");
}
