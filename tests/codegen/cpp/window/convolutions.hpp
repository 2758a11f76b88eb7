#pragma once
// Kernels of convolutions, as the schedule writes them.

#include <cstdint>

#include <sinter/codegen/cpp/window/window_gradient.hpp>
#include <sinter/codegen/cpp/window/window_product.hpp>

#include "texts.hpp"

namespace kernels {

struct Image {
  std::int64_t batch, in, out, size, window, stride, padding;
  std::int64_t result() const { return (size + 2 * padding - window) / stride + 1; }
};

/// A square convolution of square images, with `groups` of `in` to `out` channels each.
inline Kernel convolution(const Image& of, std::int64_t groups = 1, DType dtype = f32) {
  KernelBuilder b("convolution", VectorAxis::grid);
  const std::int64_t y = of.result(), window = of.window * of.window, plane = of.size * of.size;
  const auto w = b.argument(dtype, Access::read, groups * of.out * of.in * window);
  const auto x = b.argument(dtype, Access::read, of.batch * groups * of.in * plane);
  const auto z = b.argument(dtype, Access::write, of.batch * groups * of.out * y * y);
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
  const ValueId sum = b.reduce(Op::sum, dtype, b.compute(Op::mul, dtype, {weight, element}));
  b.stage();
  b.store(z, ((n * groups + g) * of.out + o) * y * y + row * y + column, sum);
  return b.kernel;
}

/// The gradient of the weights of such a convolution, without groups; of a number of images up to
/// `batch` if that is a symbol.
inline Kernel weight_gradient(const Image& of, bool is_marked = false) {
  KernelBuilder b("weight_gradient", VectorAxis::grid);
  const std::int64_t y = of.result(), window = of.window * of.window, plane = of.size * of.size;
  const Extent batch = is_marked ? b.symbol(0, of.batch) : Extent(of.batch);
  const auto g = b.argument(f32, Access::read, batch * of.out * y * y);
  const auto x = b.argument(f32, Access::read, batch * of.in * plane);
  const auto z = b.argument(f32, Access::write, of.out * of.in * window);
  const Extent o = b.grid(of.out, 4), c = b.grid(of.in), i = b.grid(of.window);
  const Extent j = b.grid(of.window, 2);
  const Extent n = b.stage().loop(batch), row = b.loop(y), column = b.loop(y);
  const Extent down = row * of.stride + i - of.padding,
               across = column * of.stride + j - of.padding;
  const ValueId gradient = b.load(g, (n * of.out + o) * y * y + row * y + column);
  const ValueId element = b.load(x, (n * of.in + c) * plane + down * of.size + across,
                                 {{down, 0, of.size}, {across, 0, of.size}});
  const ValueId sum = b.reduce(Op::sum, f32, b.compute(Op::mul, f32, {gradient, element}));
  b.stage();
  b.store(z, (o * of.in + c) * window + i * of.window + j, sum);
  return b.kernel;
}

inline codegen::CppOptions for_avx2() {
  codegen::CppOptions result;
  result.target.vectors = {.bits = 256};
  return result;
}

/// The form and the windows of a weight gradient, for AVX2.
struct Gradient {
  explicit Gradient(const Image& of, bool is_marked = false)
      : kernel(weight_gradient(of, is_marked)),
        form(*codegen::product_form(kernel, false)),
        windows(codegen::window_gradient(kernel, form, for_avx2())) {}

  Kernel kernel;
  codegen::ProductForm form;
  Optional<codegen::WindowGradient> windows;
};

/// The form and the windows of a convolution, for AVX2.
struct Convolution {
  explicit Convolution(const Image& of, std::int64_t groups = 1)
      : kernel(convolution(of, groups)),
        form(*codegen::product_form(kernel, false)),
        windows(codegen::window_product(kernel, form, for_avx2())) {}

  Kernel kernel;
  codegen::ProductForm form;
  Optional<codegen::WindowProduct> windows;
};

}  // namespace kernels
