// test: moved
#include <sinter/nn/convolution.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/module/parameter.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

#include "trace/testing.hpp"

using namespace testing;

TEST_CASE("Conv2d: starts uniform, by the number of elements that make one of the result") {
  const nn::Conv2d layer{16, 32, 3, {.groups = 4}};
  const double bound = 1 / std::sqrt(4.0 * 9);
  const Numbers weight = numbers(layer.weight);
  double largest = 0, total = 0;
  for (const double x : weight) largest = std::fmax(largest, std::fabs(x)), total += x * x;
  CHECK(to_string(layer.weight) == "f32[32, 4, 3, 3]");
  CHECK(largest <= bound);
  CHECK(largest > 0.97 * bound);
  CHECK(total / static_cast<double>(weight.size()) ==
        doctest::Approx(bound * bound / 3).epsilon(0.1));
  for (const double x : numbers(*layer.bias)) CHECK(std::fabs(x) <= bound);
}

TEST_CASE("Conv1d, Conv2d, Conv3d: are the functions with their weight and bias") {
  const Tensor x = counting({2, 4, 5, 6});
  const nn::Conv2d layer{4, 6, {3, 2}, {.stride = {2, 1}, .padding = 1, .groups = 2}};
  CHECK(near(layer(x), numbers(conv2d(x, layer.weight, *layer.bias,
                                      {.stride = {2, 1}, .padding = 1, .groups = 2}))));
  const nn::Conv1d same{4, 3, 3, {.padding = "same", .dilation = 2, .bias = false}};
  CHECK(to_string(same(counting({2, 4, 9}))) == "f32[2, 3, 9]");
  CHECK(nn::named_parameters(same).size() == 1);
  const nn::Conv3d deep{1, 2, 2};
  CHECK(to_string(deep(counting({1, 3, 4, 5}))) == "f32[2, 2, 3, 4]");
}

TEST_CASE("ConvTranspose: are the functions with their weight and bias") {
  const nn::ConvTranspose2d layer{4, 6, {3, 2}, {.stride = 2, .output_padding = 1, .groups = 2}};
  CHECK(to_string(layer.weight) == "f32[4, 3, 3, 2]");
  CHECK(to_string(*layer.bias) == "f32[6]");
  const double bound = 1 / std::sqrt(3.0 * 6);
  for (const double x : numbers(layer.weight)) CHECK(std::fabs(x) <= bound);
  const Tensor x = counting({2, 4, 3, 3});
  CHECK(near(layer(x), numbers(conv_transpose2d(x, layer.weight, *layer.bias,
                                                {.stride = 2, .output_padding = 1, .groups = 2}))));
  const nn::ConvTranspose1d bare{2, 3, 4, {.bias = false}};
  CHECK(to_string(bare(counting({2, 5}))) == "f32[3, 8]");
  CHECK(nn::named_parameters(bare).size() == 1);
  const nn::ConvTranspose3d deep{1, 2, 2, {.padding = 1}};
  CHECK(to_string(deep(counting({1, 3, 4, 5}))) == "f32[2, 2, 3, 4]");
}

TEST_CASE("ConvTranspose2d: mistakes name the line of the caller") {
  const nn::ConvTranspose2d layer{4, 6, 3}, padded{4, 6, 3, {.output_padding = 2}};
  MISTAKE(ShapeError, layer(ones({2, 3, 5, 5})), "conv_transpose2d: ", "f32[2, 3, 5, 5]");
  MISTAKE(ValueError, padded(ones({2, 4, 5, 5})), "output padding");
  MISTAKE(ValueError, nn::ConvTranspose2d(4, 6, 3, {.groups = 4}), "ConvTranspose2d", "groups");
}

TEST_CASE("Conv2d: parameters are named as in torch") {
  const nn::Conv2d layer{1, 1, 1};
  CHECK(nn::named_parameters(layer)[0].first == "weight");
  CHECK(nn::named_parameters(layer)[1].first == "bias");
}

TEST_CASE("Conv2d: mistakes name the line of the caller") {
  const nn::Conv2d layer{4, 6, 3};
  MISTAKE(ShapeError, layer(ones({2, 3, 5, 5})), "conv2d: ", "f32[2, 3, 5, 5]");
  MISTAKE(ValueError, nn::Conv2d(4, 6, 3, {.groups = 4}), "Conv2d: ", "groups 4");
  MISTAKE(ShapeError, nn::Conv2d(4, 6, {3, 3, 3}), "Conv2d: ", "kernel_size");
}

TEST_CASE("Conv2d: a mistake in a recording names the layer") {
  const nn::Conv2d layer{4, 6, 3};
  Recorder recorder;
  const RecorderScope scope(&recorder);
  recorder.name_module(&layer, &sinter::detail::type_tag<nn::Conv2d>, "model.stem");
  const Tensor x = recorder.placeholder({f32, {2, 3, 5, 5}});
  MISTAKE(ShapeError, layer(x), "\n  in    model.stem\n");
}
