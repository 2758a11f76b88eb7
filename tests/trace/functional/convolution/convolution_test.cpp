// test: moved
#include <sinter/trace/functional/convolution/convolution.hpp>

#include "numerical_gradients.hpp"

using namespace testing;

namespace {

struct Axis {
  std::int64_t stride = 1, padding = 0, dilation = 1;
  std::int64_t count(std::int64_t size, std::int64_t kernel) const {
    return (size + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
  }
};

// A convolution over two axes by plain loops.
Numbers by_loops(const Tensor& x, const Tensor& weight, Axis rows, Axis columns,
                 std::int64_t groups) {
  const auto extent = [](const Tensor& t, int i) { return t.size(i).number(); };
  const std::int64_t in = extent(weight, 1), out = extent(weight, 0), height = extent(x, 2),
                     width = extent(x, 3), r = extent(weight, 2), c = extent(weight, 3);
  const Numbers from = numbers(x), by = numbers(weight);
  const auto at = [](const Numbers& list, std::int64_t i) {
    return list[static_cast<std::size_t>(i)];
  };
  Numbers result;
  for (std::int64_t n = 0; n < extent(x, 0); ++n) {
    for (std::int64_t o = 0; o < out; ++o) {
      for (std::int64_t i = 0; i < rows.count(height, r); ++i) {
        for (std::int64_t j = 0; j < columns.count(width, c); ++j) {
          double total = 0;
          for (std::int64_t k = 0; k < in * r * c; ++k) {
            const std::int64_t channel = o / (out / groups) * in + k / (r * c);
            const std::int64_t y = i * rows.stride + k / c % r * rows.dilation - rows.padding;
            const std::int64_t z = j * columns.stride + k % c * columns.dilation - columns.padding;
            if (y < 0 || y >= height || z < 0 || z >= width) continue;
            total += at(from, ((n * in * groups + channel) * height + y) * width + z) *
                     at(by, o * in * r * c + k);
          }
          result.push_back(total);
        }
      }
    }
  }
  return result;
}

}  // namespace

TEST_CASE("conv2d: is the plain loop, with strides, padding, dilation and groups") {
  int skipped = 0;
  for (const std::int64_t groups : {1, 2, 4}) {
    for (const Axis rows : {Axis{}, Axis{2, 1, 1}, Axis{3, 2, 2}}) {
      for (const Axis columns : {Axis{}, Axis{1, 1, 2}, Axis{2, 0, 1}}) {
        if (sinter_test::on_gpu() && ++skipped % 5 != 0) continue;
        const Tensor x = noise({2, 4, 7, 6}), weight = noise({8, 4 / groups, 3, 2});
        const ConvolutionOptions options{.stride = {rows.stride, columns.stride},
                                         .padding = {rows.padding, columns.padding},
                                         .dilation = {rows.dilation, columns.dilation},
                                         .groups = groups};
        const Numbers expected = by_loops(x, weight, rows, columns, groups);
        CHECK(near(conv2d(x, weight, options), expected, 1e-12));
      }
    }
  }
}

TEST_CASE("conv2d: windows side by side, and of one element") {
  const Tensor x = noise({2, 3, 7, 8}), wide = noise({4, 3, 2, 3}), one = noise({4, 3, 1, 1});
  CHECK(near(conv2d(x, wide, {.stride = {2, 3}}), by_loops(x, wide, {2}, {3}, 1), 1e-12));
  CHECK(near(conv2d(x, one), by_loops(x, one, {}, {}, 1), 1e-12));
  CHECK(near(conv2d(x, one, {.stride = 2}), by_loops(x, one, {2}, {2}, 1), 1e-12));
}

TEST_CASE("conv1d, conv3d: are conv2d with axes of extent 1") {
  const Tensor x = noise({2, 3, 9}), weight = noise({4, 3, 3});
  const Numbers flat =
      numbers(conv2d(unsqueeze(x, 2), unsqueeze(weight, 2), {.stride = {1, 2}, .padding = {0, 1}}));
  CHECK(near(conv1d(x, weight, {.stride = 2, .padding = 1}), flat, 1e-12));
  const Tensor deep = reshape(x, {2, 3, 1, 3, 3}), kernel = noise({6, 1, 1, 2, 2});
  CHECK(
      near(conv3d(deep, kernel, {.groups = 3}),
           numbers(conv2d(reshape(x, {2, 3, 3, 3}), reshape(kernel, {6, 1, 2, 2}), {.groups = 3})),
           1e-12));
}

TEST_CASE("conv1d: same padding keeps the size, an odd element stands behind") {
  const Tensor x = tensor({1, 2, 3, 4}, {1, 4}), weight = ones({1, 1, 2});
  CHECK(near(conv1d(x, weight, {.padding = "same"}), {3, 5, 7, 4}));
  CHECK(near(conv1d(x, weight, {.padding = "valid"}), {3, 5, 7}));
}

TEST_CASE("conv2d: adds one bias to each channel; takes an input without a batch") {
  const Tensor y = conv2d(zeros({3, 4, 4}), ones({2, 3, 3, 3}), vector({1, 2}));
  CHECK(to_string(y) == "f32[2, 2, 2]");
  CHECK(near(y, {1, 1, 1, 1, 2, 2, 2, 2}));
  CHECK(conv2d(zeros({0, 3, 4, 4}), ones({2, 3, 3, 3})).to_vector<float>().empty());
}

TEST_CASE("conv2d: computes integers exactly, and f16 as f16") {
  const Tensor x = full({1, 1, 2, 2}, 1 << 20), weight = full({1, 1, 2, 2}, 1 << 20);
  CHECK(conv2d(x, weight).to_vector<std::int64_t>() == std::vector<std::int64_t>{1LL << 42});
  CHECK(conv2d(ones({1, 1, 2, 2}, f16), ones({1, 1, 2, 2}, f16)).dtype() == f16);
}

TEST_CASE("convolution: gradients are those of differences, whatever the windows do") {
  int skipped = 0;
  for (const std::int64_t groups : {1, 2, 4}) {
    for (const ConvolutionOptions& options :
         {ConvolutionOptions{.padding = 1, .groups = groups},
          ConvolutionOptions{.stride = 2, .padding = {2, 0}, .groups = groups},
          ConvolutionOptions{.stride = {3, 1}, .dilation = {1, 2}, .groups = groups}}) {
      if (sinter_test::on_gpu() && ++skipped % 4 != 0) continue;
      const Tensor x = noise({2, 4, 5, 6}), weight = noise({4, 4 / groups, 3, 2});
      CHECK(slope_error([&](const Tensor& y) { return conv2d(y, weight, options); }, x) < 1e-7);
      CHECK(slope_error([&](const Tensor& y) { return conv2d(x, y, options); }, weight) < 1e-7);
    }
  }
  const Tensor x = noise({1, 4, 3, 3, 2}), weight = noise({2, 2, 2, 2, 1});
  const ConvolutionOptions deep{.padding = 1, .groups = 2};
  CHECK(slope_error([&](const Tensor& y) { return conv3d(y, weight, deep); }, x) < 1e-7);
  CHECK(slope_error([&](const Tensor& y) { return conv3d(x, y, deep); }, weight) < 1e-7);
}

TEST_CASE("convolution: mistakes name the line, the values, the rule and the way out") {
  const Tensor x = ones({1, 4, 5, 5}), weight = ones({6, 4, 3, 3});

  MISTAKE(ShapeError, conv2d(x, ones({6, 3, 3, 3})), "conv2d: ", "f32[1, 4, 5, 5]", "f32[6, 3, 3");
  MISTAKE(ShapeError, conv2d(x, ones({6, 4, 3})), "conv2d: ", "has the wrong rank");
  MISTAKE(ShapeError, conv2d(ones({4, 5}), weight), "conv2d: ", "f32[4, 5]");
  MISTAKE(ShapeError, conv2d(x, weight, {.groups = 4}), "do not divide", "groups 4");
  MISTAKE(ShapeError, conv2d(x, weight, ones({5})), "the bias does not fit", "f32[5]");
  MISTAKE(ShapeError, conv2d(x, ones({6, 4, 3, 6})), "larger than the input", "window 6");
  MISTAKE(ShapeError, conv2d(x, weight, {.stride = {1, 2, 3}}), "stride [1, 2, 3]");
  MISTAKE(ValueError, conv2d(x, weight, {.stride = 0}), "a stride is too small");
  MISTAKE(ValueError, conv2d(x, weight, {.stride = 2, .padding = "same"}), "a stride of 1");
  MISTAKE(ValueError, conv2d(x, weight, {.padding = "both"}), "no such padding", "both");
  MISTAKE(DTypeError, conv2d(x.to(boolean), weight.to(boolean)), "boolean");
}
