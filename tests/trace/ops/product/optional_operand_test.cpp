#include "testing.hpp"

#include <sinter/trace/functional/convolution/convolution.hpp>
#include <sinter/trace/functional/convolution/transposed.hpp>
#include <sinter/trace/ops/product/product.hpp>

#include <optional>

using namespace testing;

TEST_CASE("a bias may be left out, or be a std::optional<Tensor>") {
  const Tensor x = ones({1, 1, 3}), weight = ones({1, 1, 2});
  const std::optional<Tensor> none, some = full({1}, 0.5f);
  CHECK(near(conv1d(x, weight, {}, {.padding = 1}), {1, 2, 2, 1}));
  CHECK(near(conv1d(x, weight, std::nullopt, {.padding = 1}), {1, 2, 2, 1}));
  CHECK(near(conv1d(x, weight, none, {.padding = 1}), {1, 2, 2, 1}));
  CHECK(near(conv1d(x, weight, some), {2.5, 2.5}));
  CHECK(near(conv_transpose1d(x, weight, {}, {.stride = 2}), {1, 1, 1, 1, 1, 1}));
  CHECK(near(conv_transpose1d(x, weight, some, {.stride = 3}),
             {1.5, 1.5, 0.5, 1.5, 1.5, 0.5, 1.5, 1.5}));
  CHECK(near(linear(ones({2}), ones({1, 2}), {}), {2}));
  CHECK(near(linear(ones({2}), ones({1, 2}), none), {2}));
  CHECK(near(linear(ones({2}), ones({1, 2}), some), {2.5}));
}
