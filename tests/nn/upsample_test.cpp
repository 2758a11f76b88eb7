#include <sinter/nn/upsample.hpp>

#include "../trace/testing.hpp"

using namespace testing;

TEST_CASE("Upsample: is interpolate with its options") {
  const Tensor x = counting({1, 2, 3, 4});
  CHECK(near(nn::Upsample{{.scale_factor = 2}}(x), numbers(interpolate(x, {.scale_factor = 2}))));
  const InterpolateOptions options{.size = {5, 7}, .mode = "bilinear", .align_corners = true};
  CHECK(near(nn::Upsample{options}(x), numbers(interpolate(x, options))));
}

TEST_CASE("Upsample: mistakes name the line of the caller") {
  const nn::Upsample layer{{.size = 4, .mode = "linear"}};
  MISTAKE(ShapeError, layer(ones({1, 2, 3, 4})), "interpolate: ", "f32[1, 2, 3, 4]");
}
