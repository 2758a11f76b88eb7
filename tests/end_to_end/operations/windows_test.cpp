// test: cost=20
// Convolutions and pools of many shapes, compiled, against plain loops: results and gradients.

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "jit/support.hpp"

using namespace testing;

namespace {

struct Shape2d {
  std::int64_t batch, groups, in, out, height, width, window, stride, padding, dilation;
  std::int64_t along(std::int64_t size) const {
    return (size + 2 * padding - dilation * (window - 1) - 1) / stride + 1;
  }
};

// Depthwise ones and groups; strides of one, two, and more than the window; padding of more than
// half of the window; rows of less than a vector, of odd sizes, and of several vectors.
const std::vector<Shape2d> shapes{
    {2, 5, 1, 1, 14, 14, 3, 1, 1, 1}, {2, 5, 1, 1, 9, 41, 3, 2, 1, 1},
    {1, 4, 2, 2, 7, 33, 5, 1, 4, 1},  {2, 6, 1, 1, 40, 100, 3, 1, 1, 1},
    {1, 5, 1, 2, 12, 30, 3, 1, 2, 2}, {2, 4, 3, 4, 7, 7, 3, 2, 1, 1},
    {1, 6, 1, 1, 11, 27, 2, 3, 0, 1}, {1, 1, 3, 8, 23, 45, 7, 2, 3, 1},
};

// The sums of their weight gradients are computed in several blocks: of lines of an image, of whole
// images, and of packed rows.
const std::vector<Shape2d> large_shapes{
    {2, 1, 3, 20, 64, 50, 3, 1, 1, 1}, {3, 1, 2, 13, 49, 51, 3, 1, 2, 2},
    {2, 1, 3, 9, 97, 90, 5, 2, 2, 1},  {12, 1, 4, 20, 14, 14, 3, 1, 1, 1},
    {46, 1, 3, 12, 7, 7, 3, 1, 1, 1},
};

// Windows of these are read from strips of the image: one or several, of groups, of channels that
// do not fill the last vector, of short lines.
const std::vector<Shape2d> strips{
    {1, 1, 20, 16, 80, 70, 3, 1, 1, 1},
    {2, 3, 5, 9, 15, 14, 3, 2, 1, 1},
    {3, 1, 6, 24, 7, 7, 3, 1, 1, 1},
    {2, 1, 4, 17, 19, 21, 4, 1, 3, 2},
};

// These are computed by Winograd's algorithm: of odd sizes, of groups, with and without padding;
// of several small images at a time.
const std::vector<Shape2d> transformed{
    {2, 1, 32, 40, 13, 15, 3, 1, 1, 1},
    {1, 2, 33, 34, 12, 20, 3, 1, 2, 1},
    {1, 1, 48, 32, 18, 19, 3, 1, 0, 1},
    {5, 1, 32, 36, 6, 7, 3, 1, 1, 1},
};

using Numbers = std::vector<double>;

Numbers numbers_of(const Tensor& x) { return x.to(f64).to_vector<double>(); }

double distance(const Numbers& found, const Numbers& expected) {
  REQUIRE(found.size() == expected.size());
  double largest = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    largest = std::max(largest, std::fabs(found[i] - expected[i]));
  }
  return largest;
}

struct Convolved {
  Numbers result, input_gradient, weight_gradient;
};

// Calls visit(result, input, weight) with the positions of each product of numbers.
template <class Visit>
void for_each_product(const Shape2d& s, const Visit& visit) {
  const std::int64_t rows = s.along(s.height), columns = s.along(s.width);
  const std::int64_t out = s.groups * s.out, elements = s.window * s.window;
  for (std::int64_t at = 0; at < s.batch * out * rows * columns * s.in * elements; ++at) {
    const std::int64_t k = at % elements, i = at / elements % s.in, y = at / elements / s.in;
    const std::int64_t column = y % columns, row = y / columns % rows, o = y / columns / rows % out;
    const std::int64_t r = row * s.stride + k / s.window * s.dilation - s.padding;
    const std::int64_t c = column * s.stride + k % s.window * s.dilation - s.padding;
    if (r < 0 || r >= s.height || c < 0 || c >= s.width) continue;
    const std::int64_t n = y / columns / rows / out, channel = o / s.out * s.in + i;
    const std::int64_t x = ((n * s.groups * s.in + channel) * s.height + r) * s.width + c;
    visit(static_cast<std::size_t>(y), static_cast<std::size_t>(x),
          static_cast<std::size_t>((o * s.in + i) * elements + k));
  }
}

Convolved by_loops(const Shape2d& s, const Tensor& x, const Tensor& weight, const Tensor& g) {
  const Numbers from = numbers_of(x), by = numbers_of(weight), back = numbers_of(g);
  Convolved result{Numbers(back.size()), Numbers(from.size()), Numbers(by.size())};
  for_each_product(s, [&](std::size_t y, std::size_t in, std::size_t w) {
    result.result[y] += from[in] * by[w];
    result.input_gradient[in] += back[y] * by[w];
    result.weight_gradient[w] += back[y] * from[in];
  });
  return result;
}

void check_convolution(const Shape2d& s, const CompileOptions& options) {
  const Tensor x = randn({s.batch, s.groups * s.in, s.height, s.width});
  const Tensor weight = randn({s.groups * s.out, s.in, s.window, s.window});
  const Tensor g = randn({s.batch, s.groups * s.out, s.along(s.height), s.along(s.width)});
  const auto convolve = [=](const Tensor& a, const Tensor& b) {
    return conv2d(
        a, b,
        {.stride = s.stride, .padding = s.padding, .dilation = s.dilation, .groups = s.groups});
  };
  const auto loss = [=](const Tensor& a, const Tensor& b, const Tensor& c) {
    return sum(convolve(a, b) * c);
  };
  const Convolved expected = by_loops(s, x, weight, g);
  CHECK(distance(numbers_of(compile(convolve, options)(x, weight)), expected.result) < 1e-4);
  const auto gradients = compile(grad(loss, {0, 1}), options)(x, weight, g);
  CHECK(distance(numbers_of(gradients[0]), expected.input_gradient) < 1e-4);
  CHECK(distance(numbers_of(gradients[1]), expected.weight_gradient) < 1e-3);
}

}  // namespace

TEST_CASE("windows: convolutions and their gradients are those of plain loops") {
  for (const Shape2d& shape : shapes) {
    INFO(shape.height, " x ", shape.width, ", window ", shape.window, ", stride ", shape.stride);
    check_convolution(shape, {});
  }
  check_convolution(shapes[0], {.numerics = Numerics::strict});
  for (const Shape2d& shape : strips) {
    INFO("strips of ", shape.height, " x ", shape.width, ", stride ", shape.stride);
    check_convolution(shape, {});
  }
  for (const Shape2d& shape : transformed) {
    INFO("transformed, ", shape.height, " x ", shape.width, ", padding ", shape.padding);
    check_convolution(shape, {});
  }
  for (const Shape2d& shape : large_shapes) {
    INFO(shape.batch, " images of ", shape.height, " x ", shape.width);
    check_convolution(shape, {});
  }
}

TEST_CASE("windows: images that are padded only along their height are staged for each lane") {
  for (const std::int64_t height : {3, 4, 7, 9}) {
    for (const int step : {1, 2}) {
      INFO(height, " lines, step ", step);
      const Tensor x = randn({2, 6, height, 33}), weight = randn({6, 1, 3, 3});
      const auto f = [=](const Tensor& a, const Tensor& b) {
        return conv2d(a, b, {.stride = {1, step}, .padding = {1, 0}, .groups = 6});
      };
      const auto loss = [=](const Tensor& a, const Tensor& b) { return sum(square(f(a, b))); };
      const auto found = compile(grad(loss, 1))(x, weight);
      CHECK(distance(numbers_of(compile(f)(x, weight)), numbers_of(f(x.to(f64), weight.to(f64)))) <
            1e-4);
      CHECK(distance(numbers_of(found), numbers_of(grad(loss, 1)(x.to(f64), weight.to(f64)))) <
            1e-2);
    }
  }
}

TEST_CASE("windows: a padded image that is multiplied by a row is staged with its product") {
  const auto largest = [](const Tensor& a, const Tensor& b) {
    const Tensor padded = pad(a, {{0, 0}, {0, 0}, {0, 0}, {1, 1}});
    return amax(unfold(padded * b, 3, 9, 2), 4);
  };
  const Tensor a = randn({4, 8, 31, 31}), b = rand({33}) + 0.5f;
  CHECK(distance(numbers_of(compile(largest)(a, b)), numbers_of(largest(a, b))) == 0);
}

TEST_CASE("windows: windows whose sums pack them are not staged") {
  const auto loss = [](const Tensor& x, const Tensor& weight) {
    return sum(conv1d(x, weight, {.padding = 2, .dilation = 2}) * 0.5f);
  };
  const Tensor x = randn({1, 9, 105}), weight = randn({24, 9, 6});
  const auto found = compile(grad(loss, 1))(x, weight);
  const auto expected = grad(loss, 1)(x.to(f64), weight.to(f64));
  CHECK(distance(numbers_of(found), numbers_of(expected)) < 1e-3);
}

TEST_CASE("windows: one recording has the gradients for every number of large images") {
  const auto loss = [](const Tensor& a, const Tensor& b) {
    return sum(square(conv2d(a, b, {.stride = 2, .padding = 1}))) / 1e4f;  // gradients of about 1
  };
  const auto f = compile(grad(loss, {0, 1}));
  const Tensor weight = randn({24, 3, 3, 3});
  for (const std::int64_t batch : {2, 3, 0, 1}) {
    Tensor x = randn({batch, 3, 128, 100});
    mark_dynamic(x, 0, {.min = 0, .max = 64});
    const auto found = f(x, weight);
    const auto expected = grad(loss, {0, 1})(x.to(f64), weight.to(f64));
    CHECK(distance(numbers_of(found[0]), numbers_of(expected[0])) < 1e-5);
    CHECK(distance(numbers_of(found[1]), numbers_of(expected[1])) < 1e-4);
  }
  CHECK(f.stats().recordings == 1);
}

TEST_CASE("windows: products over repeated and regrouped images read what they repeat") {
  const Tensor a = randn({2, 40, 32, 40}), b = randn({6, 24, 32, 40});
  const auto repeated = [](const Tensor& x, const Tensor& y) {
    return einsum("nohw,nchw->oc", {repeat(x, {3, 1, 1, 1}), y}) / 100.0f;
  };
  const auto regrouped = [](const Tensor& x, const Tensor& y) {
    const Tensor frames = permute(reshape(y, {2, 3, 24, 32, 40}), {1, 0, 2, 3, 4});
    return einsum("nohw,nchw->oc", {reshape(frames, {6, 24, 32, 40}), repeat(x, {3, 1, 1, 1})}) /
           100.0f;
  };
  CHECK(distance(numbers_of(compile(repeated)(a, b)), numbers_of(repeated(a.to(f64), b.to(f64)))) <
        1e-4);
  CHECK(distance(numbers_of(compile(regrouped)(a, b)),
                 numbers_of(regrouped(a.to(f64), b.to(f64)))) < 1e-4);
}

TEST_CASE("windows: the gradient of max_pool2d goes to the first maximum") {
  for (const auto& [window, stride, padding] :
       {std::array{3, 2, 1}, {2, 2, 0}, {3, 1, 1}, {2, 3, 1}}) {
    const Tensor x = floor(randn({2, 3, 14, 37}) * 3.0f);  // with equal elements
    const auto pool = [=](const Tensor& a) {
      return max_pool2d(a, window, {.stride = stride, .padding = padding});
    };
    const Tensor g = randn(pool(x).shape());
    Numbers expected(numbers_of(x).size());
    const Numbers from = numbers_of(x), back = numbers_of(g);
    const Shape2d s{2, 3, 1, 1, 14, 37, window, stride, padding, 1};
    std::vector<std::size_t> largest(back.size(), from.size());
    for_each_product(s, [&](std::size_t y, std::size_t in, std::size_t) {
      std::size_t& best = largest[y];
      if (best == from.size() || from[in] > from[best]) best = in;
    });
    for (std::size_t y = 0; y < back.size(); ++y) expected[largest[y]] += back[y];
    const auto loss = [=](const Tensor& a, const Tensor& b) { return sum(pool(a) * b); };
    CHECK(distance(numbers_of(compile(grad(loss))(x, g)), expected) < 1e-5);
  }
}

TEST_CASE("windows: a pool in training reads its input once, and keeps a byte for each maximum") {
  const auto step = compile([](const Tensor& x, const Tensor& g) {
    const auto loss = [&](const Tensor& a) { return sum(max_pool2d(a, 3, {.stride = 2}) * g); };
    return std::pair{max_pool2d(x, 3, {.stride = 2}), grad(loss)(x)};
  });
  step(randn({2, 3, 18, 18}), randn({2, 3, 8, 8}));
  CHECK(step.stats().kernels == 2);
}
