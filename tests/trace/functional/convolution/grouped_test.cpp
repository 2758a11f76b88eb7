// test: moved
#include <sinter/trace/functional/convolution/convolution.hpp>
#include <sinter/trace/functional/convolution/grouped.hpp>

#include "numerical_gradients.hpp"

using namespace testing;

TEST_CASE("convolve_grouped: each group is a convolution of its own channels") {
  const Tensor x = noise({2, 6, 5, 4}), weight = noise({9, 2, 3, 2});
  const Tensor y = conv2d(x, weight, {.padding = 1, .groups = 3});
  for (std::int64_t group = 0; group < 3; ++group) {
    const Tensor own = conv2d(slice(x, 1, 2 * group, 2 * group + 2),
                              slice(weight, 0, 3 * group, 3 * group + 3), {.padding = 1});
    CHECK(near(slice(y, 1, 3 * group, 3 * group + 3), numbers(own), 1e-12));
  }
}

TEST_CASE("convolve_grouped: second derivatives are those of differences") {
  const Tensor x = noise({1, 2, 4, 3}), weight = noise({2, 1, 2, 2});
  const ConvolutionOptions options{.stride = 2, .padding = 1, .groups = 2};
  const auto of_x = [&](const Tensor& y) {
    const auto loss = [&](const Tensor& z) {
      return weighted_sum(square(conv2d(z, weight, options)));
    };
    return grad(loss)(y);
  };
  const auto of_weight = [&](const Tensor& y) {
    const auto loss = [&](const Tensor& z) { return weighted_sum(square(conv2d(x, z, options))); };
    return grad(loss)(y);
  };
  CHECK(slope_error(of_x, x) < 1e-6);
  CHECK(slope_error(of_weight, weight) < 1e-6);
}

TEST_CASE("move_axis, transposed_weight: put axes in their places") {
  CHECK(to_string(detail::move_axis(zeros({2, 3, 4}), 2, 0, Where::current())) == "f32[4, 2, 3]");
  const Tensor weight = detail::transposed_weight(counting({2, 1, 3}), 1, Where::current());
  CHECK(to_string(weight) == "f32[1, 2, 3]");
  CHECK(near(weight, {2, 1, 0, 5, 4, 3}));
}
