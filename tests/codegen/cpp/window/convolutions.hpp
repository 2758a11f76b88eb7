#pragma once
// Kernels of convolutions, as the schedule writes them.

#include <cstdint>

#include <sinter/codegen/cpp/window/window_product.hpp>

#include "texts.hpp"

namespace kernels {

struct Image {
  std::int64_t batch, in, out, size, window, stride, padding;
  std::int64_t result() const { return (size + 2 * padding - window) / stride + 1; }
};

/// A square convolution of square images, with `groups` of `in` to `out` channels each.
inline Kernel convolution(const Image& of, std::int64_t groups = 1) {
  KernelBuilder b("convolution", VectorAxis::grid);
  const std::int64_t y = of.result(), window = of.window * of.window, plane = of.size * of.size;
  const auto w = b.argument(f32, Access::read, groups * of.out * of.in * window);
  const auto x = b.argument(f32, Access::read, of.batch * groups * of.in * plane);
  const auto z = b.argument(f32, Access::write, of.batch * groups * of.out * y * y);
  const Extent n = b.grid(of.batch), g = groups > 1 ? b.grid(groups) : Extent(0);
  const Extent o = b.grid(of.out, 4), row = b.grid(y), column = b.grid(y, 2);
  const Extent c = b.stage().loop(of.in), i = b.loop(of.window), j = b.loop(of.window);
  const Extent down = row * of.stride + i - of.padding,
               across = column * of.stride + j - of.padding;
  const ValueId weight =
      b.load(w, (g * of.out + o) * of.in * window + c * window + i * of.window + j);
  const Vector<Guard> guards{{down, 0, of.size}, {across, 0, of.size}};
  const ValueId element =
      b.load(x, ((n * groups + g) * of.in + c) * plane + down * of.size + across,
             of.padding > 0 ? guards : Vector<Guard>{});
  const ValueId sum = b.reduce(Op::sum, f32, b.compute(Op::mul, f32, {weight, element}));
  b.stage();
  b.store(z, ((n * groups + g) * of.out + o) * y * y + row * y + column, sum);
  return b.kernel;
}

/// The form and the windows of a convolution, for AVX2.
struct Convolution {
  explicit Convolution(const Image& of, std::int64_t groups = 1)
      : kernel(convolution(of, groups)),
        form(*codegen::product_form(kernel, false)),
        windows(codegen::window_product(kernel, form, options())) {}

  static codegen::CppOptions options() {
    codegen::CppOptions result;
    result.target.vectors = {.bits = 256};
    return result;
  }

  Kernel kernel;
  codegen::ProductForm form;
  Optional<codegen::WindowProduct> windows;
};

}  // namespace kernels
