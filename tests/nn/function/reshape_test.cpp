// test: moved
#include "trace/testing.hpp"

#include <sinter/nn/function/reshape.hpp>

using namespace testing;

TEST_CASE("Flatten: makes one axis of all but the batch") {
  CHECK(to_string(nn::Flatten()(ones({2, 3, 4}))) == "f32[2, 12]");
  CHECK(to_string(nn::Flatten{0}(ones({2, 3, 4}))) == "f32[24]");
  CHECK(to_string(nn::Flatten{.first = 0, .last = 1}(ones({2, 3, 4}))) == "f32[6, 4]");
}

TEST_CASE("Unflatten: makes several axes of one") {
  const nn::Unflatten layer{.axis = 1, .sizes = {3, -1}};
  CHECK(to_string(layer(ones({2, 12, 5}))) == "f32[2, 3, 4, 5]");
  MISTAKE(ShapeError, layer(ones({2, 10})), "f32[2, 10]");
}

TEST_CASE("Identity: gives what it is given") {
  const Tensor x = ones({2});
  CHECK(nn::Identity()(x).lazy() == x.lazy());
}

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
