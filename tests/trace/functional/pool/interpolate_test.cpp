// test: moved
#include <sinter/trace/functional/pool/interpolate.hpp>

#include "numerical_gradients.hpp"

using namespace testing;

namespace {

Tensor image = div(square(counting({1, 1, 3, 4})), 7);
const Shared shared{image};

}  // namespace

// The expected figures are those of torch 2.15.
TEST_CASE("interpolate: nearest takes the element in front") {
  CHECK(near(interpolate(image, {.size = {2, 6}}),
             {0, 0, 0.1428571, 0.5714286, 0.5714286, 1.2857143, 2.2857144, 2.2857144, 3.5714285,
              5.1428571, 5.1428571, 7}));
  CHECK(near(interpolate(image, {.scale_factor = {1.5, 0.5}}),
             {0, 0.5714286, 0, 0.5714286, 2.2857144, 5.1428571, 9.1428576, 14.2857141}));
  CHECK(near(interpolate(image, {.size = {2, 6}, .mode = "nearest-exact"}),
             {0, 0.1428571, 0.1428571, 0.5714286, 1.2857143, 1.2857143, 9.1428576, 11.5714283,
              11.5714283, 14.2857141, 17.2857151, 17.2857151}));
  CHECK(near(interpolate(tensor({1, 2}, {1, 1, 2}), {.scale_factor = 3}), {1, 1, 1, 2, 2, 2}));
  CHECK(interpolate(ones({1, 1, 2}, u8), {.size = 3}).dtype() == u8);
}

TEST_CASE("interpolate: linear modes are straight between two elements") {
  CHECK(near(interpolate(image, {.size = {2, 6}, .mode = "bilinear"}),
             {0.5714286, 0.7857143, 1.1190476, 1.5952381, 2.2142859, 2.7142856, 7.4285717, 8.5,
              9.9761906, 11.5952377, 13.3571434, 14.7142859}));
  CHECK(near(interpolate(image, {.size = {2, 6}, .mode = "bilinear", .align_corners = true}),
             {0, 0.0857143, 0.2285715, 0.4857143, 0.8571429, 1.2857143, 9.1428576, 10.6000004,
              12.1142855, 13.7428579, 15.4857149, 17.2857151}));
  CHECK(near(interpolate(image, {.scale_factor = {1.5, 0.7}, .mode = Interpolation::bilinear}),
             {0.0306122, 0.4183674, 1.2959185, 2.5, 3.7448988, 6.0374155, 8.4795923, 11.8605442}));
  CHECK(near(interpolate(reshape(image, {1, 1, 12}), {.size = 5, .mode = "linear"}),
             {0.1, 1.3857144, 4.3571429, 8.9285727, 15.1857157}));
  CHECK(near(interpolate(reshape(image, {1, 1, 3, 2, 2}), {.size = {2, 3, 1}, .mode = "trilinear"}),
             {0.7857143, 1.5, 2.2142856, 8.5, 10.9285717, 13.3571434}));
}

TEST_CASE("interpolate: bicubic and area") {
  CHECK(near(interpolate(image, {.size = {2, 3}, .mode = "bicubic"}),
             {0.3174448, 0.9084821, 2.0960805, 7.94347, 11.0736599, 14.8004189}));
  CHECK(near(interpolate(image, {.size = {2, 6}, .mode = "bicubic", .align_corners = true}),
             {0, 0.0411428, 0.2148573, 0.4308576, 0.8948576, 1.2857143, 9.1428576, 10.3359985,
              12.210288, 13.578289, 15.7428589, 17.2857151}));
  CHECK(near(interpolate(image, {.size = {2, 3}, .mode = "area"}),
             {1.5, 2.3571429, 3.5, 6.6428571, 8.6428566, 10.9285717}));
}

TEST_CASE("interpolate: gradients are those of differences") {
  const Tensor x = noise({1, 2, 3, 4});
  for (const Interpolation mode : {Interpolation::nearest, Interpolation::bilinear,
                                   Interpolation::bicubic, Interpolation::area}) {
    const auto f = [mode](const Tensor& y) {
      return interpolate(y, {.size = {5, 3}, .mode = mode});
    };
    CHECK(slope_error(f, x) < 1e-7);
  }
  CHECK(slope_error([](const Tensor& y) { return interpolate(y, {.scale_factor = 2}); }, x) < 1e-7);
}

TEST_CASE("interpolate: mistakes name the line, the values, the rule and the way out") {
  MISTAKE(ShapeError, interpolate(image, {.size = 2, .mode = "linear"}), "does not fit");
  MISTAKE(ShapeError, interpolate(ones({2, 3}), {.size = 2}), "f32[2, 3]");
  MISTAKE(ValueError, interpolate(image, {}), "either a size or a factor");
  MISTAKE(ValueError, interpolate(image, {.size = 2, .scale_factor = 2}), "either a size");
  MISTAKE(ValueError, interpolate(image, {.size = {1, 2, 3}}), "one size for each spatial axis");
  MISTAKE(ValueError, interpolate(image, {.size = 0}), "a size is 0");
  MISTAKE(ValueError, interpolate(image, {.size = 2, .mode = "cubic"}), "no such mode", "cubic");
  MISTAKE(ValueError, interpolate(image, {.size = 2, .align_corners = true}), "corners");
  MISTAKE(DTypeError, interpolate(image.to(i64), {.size = 2, .mode = "bilinear"}), "i64[1, 1");
}
