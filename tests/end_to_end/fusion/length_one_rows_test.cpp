// test: deep moved
// Norms and softmax of 16-bit rows with length 1 at run time: the row is subtracted from itself,
// so eager gives 0, and any difference in rounding would show.

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "jit/support.hpp"
#include "moved.hpp"

using namespace testing;
using sinter_test::by_device;

namespace {

using Rows = Tensor (*)(const Tensor&, int);

Tensor norm(const Tensor& x, int axis) {
  const Tensor centered = x - mean(x, axis, true);
  return centered * rsqrt(mean(centered * centered, axis, true) + 1e-5f);
}
Tensor norm_of_squares(const Tensor& x, int axis) {
  const Tensor middle = mean(x, axis, true);
  return (x - middle) / sqrt(mean(square(x), axis, true) - square(middle) + 1e-5f);
}
Tensor shifted_softmax(const Tensor& x, int axis) {
  const Tensor power = exp(x - max(x, axis, true));
  return power / sum(power, axis, true);
}
Tensor largest(const Tensor& x, int axis) {
  return where(x == max(x, axis, true), x * 2.0f, x * 0.5f);
}

// Returns the value, both gradients, the input of the rows and its mean: results are stored in 16
// bits, and later kernels read them back.
std::vector<Tensor> results(Rows rows, int axis, const Tensor& x, const Tensor& r,
                            const Tensor& w) {
  const auto loss = [&](const Tensor& a, const Tensor& b) {
    return sum((rows(a + r, axis) * b * b).to(f32));
  };
  const Tensor dx = grad([&](const Tensor& a) { return loss(a, w); })(x);
  const Tensor dw = grad([&](const Tensor& b) { return loss(x, b); })(w);
  return {rows(x + r, axis) * w, dx, dw, x + r, mean(x + r, axis, true)};
}

double apart(const Tensor& a, const Tensor& b) {
  return max(abs(a.to(f32) - b.to(f32))).item<float>();
}

}  // namespace

TEST_CASE("length one rows: 16-bit results under fast numerics equal eager ones") {
  for (const Rows rows : {norm, norm_of_squares, shifted_softmax, largest}) {
    for (const DType dtype : {bf16, f16}) {
      for (const int axis : {-1, 0}) {
        for (const std::size_t kept : {3u, 4u, 5u}) {
          if (by_device(false, kept != 5)) continue;
          const auto program = [=](const Tensor& x, const Tensor& r, const Tensor& w) {
            std::vector<Tensor> all = results(rows, axis, x, r, w);
            all.resize(kept);
            return all;
          };
          random::manual_seed(3);
          const Shape shape = axis == 0 ? Shape{1, 40} : Shape{40, 1};
          Tensor x = randn(shape).to(dtype), r = randn(shape).to(dtype);
          const Tensor w = randn({1}).to(dtype);
          const std::vector<Tensor> eager = on_host(program, x, r, w);
          mark_dynamic(x, axis == 0 ? 0 : 1);
          mark_dynamic(r, axis == 0 ? 0 : 1);
          const std::vector<Tensor> fast = compile(program)(x, r, w);
          for (std::size_t i = 0; i < kept; ++i) {
            INFO(text(dtype, ", axis ", axis, ", result ", i, " of ", kept));
            const ScopedDevice host(cpu());
            const double size = max(abs(eager[i].to(f32))).item<float>();
            CHECK(apart(fast[i].to(cpu()), eager[i]) <= 0.05 * (1 + size));
          }
        }
      }
    }
  }
}

TEST_CASE("length one rows: a cast that the program asks for rounds") {
  const auto lost = [](const Tensor& x) { return x - x.to(bf16).to(f32); };
  const Tensor x = full({5}, 1.001f);
  CHECK(near_tensor(compile(lost)(x), full({5}, 1.001f - 1.0f)));
  const auto through = [](const Tensor& y) { return (exp(y).to(f16) + 1.0f).to(f32); };
  const Tensor y = full({5}, 0.1f);
  CHECK(near_tensor(compile(through, {.numerics = Numerics::strict})(y), through(y)));
}

TEST_CASE("length one rows: 16-bit sums of parts of rows that are also results") {
  for (const DType dtype : {bf16, f16, f32}) {
    const auto program = [](const Tensor& x) {
      const Tensor parts = sum(x, 2);
      return std::vector<Tensor>{parts, softmax(reshape(x, {4, 264}), -1)};
    };
    const Tensor x = randn({4, 8, 33}).to(dtype);
    const auto found = compile(program)(x);
    const auto expected = on_host(compile(program, {.backend = Backend::eager}), x);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const ScopedDevice host(cpu());
      const Tensor off = abs(found[i].to(cpu()).to(f64) - expected[i].to(f64));
      CHECK(max(off).item<double>() < (dtype == f32 ? 1e-4 : 0.1));
    }
  }
}
