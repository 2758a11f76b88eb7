// test: moved
#include <sinter/trace/functional/convolution/convolution.hpp>
#include <sinter/trace/functional/convolution/gradient.hpp>

#include "numerical_gradients.hpp"

using namespace testing;

namespace {

// By the rules for what a convolution consists of: of two halves, whose channels are too few.
Tensor in_halves(const Tensor& x, const Tensor& weight, const ConvolutionOptions& options) {
  const auto half = [&](std::int64_t begin) {
    return conv2d(slice(x, 1, begin, begin + 8), slice(weight, 1, begin, begin + 8), options);
  };
  return add(half(0), half(8));
}

}  // namespace

TEST_CASE("convolve_whole: gradients are those of the rules for its parts") {
  int skipped = 0;
  for (const std::int64_t stride : {1, 2, 3}) {
    for (const std::int64_t dilation : {1, 2, 3}) {
      for (const std::int64_t padding : {0, 1, 2}) {
        if (sinter_test::on_gpu() && ++skipped % 8 != 0) continue;
        const Tensor x = noise({2, 16, 9, 8}), weight = noise({3, 16, 3, 2});
        const ConvolutionOptions options{
            .stride = {stride, 1}, .padding = {padding, padding / 2}, .dilation = {dilation, 2}};
        const auto both = [&](auto convolution, const Tensor& at, bool of_x) {
          return numbers(grad([&](const Tensor& y) {
            return weighted_sum(of_x ? convolution(y, weight, options)
                                     : convolution(x, y, options));
          })(at));
        };
        const auto whole = [](const Tensor& a, const Tensor& b, const ConvolutionOptions& c) {
          return conv2d(a, b, c);
        };
        CHECK(near(from_vector(both(whole, x, true), x.shape()), both(in_halves, x, true), 1e-10));
        CHECK(near(from_vector(both(whole, weight, false), weight.shape()),
                   both(in_halves, weight, false), 1e-10));
      }
    }
  }
}

TEST_CASE("convolve_whole: second derivatives are those of differences") {
  const Tensor x = noise({1, 16, 4, 3}), weight = noise({1, 16, 3, 2});
  const ConvolutionOptions options{.stride = 2, .padding = 1};
  const auto of_weight = [&](const Tensor& y) {
    const auto loss = [&](const Tensor& z) { return weighted_sum(square(conv2d(z, y, options))); };
    return grad(loss)(x);
  };
  CHECK(slope_error(of_weight, weight) < 1e-6);
}

TEST_CASE("phase_of: the elements of a kernel that meet every second element of an input") {
  const detail::WindowAxis axis{.size = 3, .step = 2, .low = 1, .high = 1};
  const auto even = detail::phase_of(axis, 0), odd = detail::phase_of(axis, 1);
  CHECK((even->first == 1 && even->windows.size == 1));
  CHECK((odd->first == 0 && odd->apart == 2 && odd->windows.size == 2));
  CHECK((odd->windows.low == 0 && odd->windows.high == 1));
  CHECK_FALSE(detail::phase_of({.size = 1, .step = 2}, 1));
}
