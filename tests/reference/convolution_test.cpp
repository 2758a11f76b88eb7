// test: deep moved cost=30
// Convolution, pooling and interpolation, against torch.

#include <doctest/doctest.h>

#include "reference.hpp"

namespace {

using namespace reference;

using In = const Inputs&;
using Opt = const Options&;

using Convolution = Tensor (*)(Operand, Operand, ConvolutionOptions);
using BiasedConvolution = Tensor (*)(Operand, Operand, Operand, ConvolutionOptions);

Outputs convolution(In x, Opt o, Convolution plain, BiasedConvolution biased) {
  const ConvolutionOptions options{.stride = o.integers(0),
                                   .padding = PerAxis(o.integers(1)),
                                   .dilation = o.integers(2),
                                   .groups = o.integer(3)};
  return x.size() == 3 ? biased(x[0], x[1], x[2], options) : plain(x[0], x[1], options);
}

MaxPoolOptions max_pool(Opt o) { return {.stride = o.integers(1), .padding = o.integers(2)}; }
AveragePoolOptions average_pool(Opt o) {
  return {.stride = o.integers(1), .padding = o.integers(2)};
}

TransposedConvolutionOptions transposed(Opt o) {
  return {.stride = o.integers(0),
          .padding = o.integers(1),
          .output_padding = o.integers(2),
          .groups = o.integer(3),
          .dilation = o.integers(4)};
}

std::vector<Extent> sizes(Opt o) {
  const auto numbers = o.integers(0);
  return {numbers.begin(), numbers.end()};
}

const Table table{
    "convolution",
    {
        {"conv1d", [](In x, Opt o) -> Outputs { return convolution(x, o, conv1d, conv1d); }},
        {"conv2d", [](In x, Opt o) -> Outputs { return convolution(x, o, conv2d, conv2d); }},
        {"conv3d", [](In x, Opt o) -> Outputs { return convolution(x, o, conv3d, conv3d); }},
        {"max_pool2d",
         [](In x, Opt o) -> Outputs { return max_pool2d(x[0], o.integers(0), max_pool(o)); }},
        {"avg_pool2d",
         [](In x, Opt o) -> Outputs { return avg_pool2d(x[0], o.integers(0), average_pool(o)); }},
        {"max_pool1d",
         [](In x, Opt o) -> Outputs { return max_pool1d(x[0], o.integers(0), max_pool(o)); }},
        {"avg_pool1d",
         [](In x, Opt o) -> Outputs { return avg_pool1d(x[0], o.integers(0), average_pool(o)); }},
        {"max_pool3d",
         [](In x, Opt o) -> Outputs { return max_pool3d(x[0], o.integers(0), max_pool(o)); }},
        {"avg_pool3d",
         [](In x, Opt o) -> Outputs { return avg_pool3d(x[0], o.integers(0), average_pool(o)); }},
        {"max_pool2d_ceil",
         [](In x, Opt o) -> Outputs {
           MaxPoolOptions options = max_pool(o);
           options.ceil_mode = true;
           return max_pool2d(x[0], o.integers(0), options);
         }},
        {"max_pool2d_dilated",
         [](In x, Opt o) -> Outputs {
           MaxPoolOptions options = max_pool(o);
           options.dilation = o.integers(3);
           return max_pool2d(x[0], o.integers(0), options);
         }},
        {"avg_pool2d_ceil",
         [](In x, Opt o) -> Outputs {
           AveragePoolOptions options = average_pool(o);
           options.ceil_mode = true;
           return avg_pool2d(x[0], o.integers(0), options);
         }},
        {"avg_pool2d_inside",
         [](In x, Opt o) -> Outputs {
           AveragePoolOptions options = average_pool(o);
           options.count_include_pad = false;
           return avg_pool2d(x[0], o.integers(0), options);
         }},
        {"conv_transpose1d",
         [](In x, Opt o) -> Outputs { return conv_transpose1d(x[0], x[1], x[2], transposed(o)); }},
        {"conv_transpose2d",
         [](In x, Opt o) -> Outputs { return conv_transpose2d(x[0], x[1], x[2], transposed(o)); }},
        {"conv_transpose3d",
         [](In x, Opt o) -> Outputs { return conv_transpose3d(x[0], x[1], x[2], transposed(o)); }},
        {"adaptive_max_pool1d",
         [](In x, Opt o) -> Outputs { return adaptive_max_pool1d(x[0], o.integers(0)); }},
        {"adaptive_avg_pool3d",
         [](In x, Opt o) -> Outputs { return adaptive_avg_pool3d(x[0], o.integers(0)); }},
        {"adaptive_max_pool3d",
         [](In x, Opt o) -> Outputs { return adaptive_max_pool3d(x[0], o.integers(0)); }},
        {"interpolate_nearest",
         [](In x, Opt o) -> Outputs { return interpolate(x[0], {.size = sizes(o)}); }},
        {"interpolate_bilinear",
         [](In x, Opt o) -> Outputs {
           return interpolate(x[0],
                              {.size = sizes(o), .mode = "bilinear", .align_corners = o.flag(1)});
         }},
        {"interpolate_mode",
         [](In x, Opt o) -> Outputs {
           return interpolate(x[0], {.size = sizes(o), .mode = o.text(1).c_str()});
         }},
        {"interpolate_scale",
         [](In x, Opt o) -> Outputs { return interpolate(x[0], {.scale_factor = o.number(0)}); }},
        {"adaptive_max_pool2d",
         [](In x, Opt o) -> Outputs { return adaptive_max_pool2d(x[0], o.integers(0)); }},
        {"adaptive_avg_pool1d",
         [](In x, Opt o) -> Outputs { return adaptive_avg_pool1d(x[0], o.integers(0)); }},
        {"adaptive_avg_pool2d",
         [](In x, Opt o) -> Outputs { return adaptive_avg_pool2d(x[0], o.integers(0)); }},
    }};

}  // namespace

REFERENCE_TESTS("convolution", table);
