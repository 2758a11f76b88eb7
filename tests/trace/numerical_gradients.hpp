#pragma once
// Gradients of functions of f64 tensors, against differences.

#include <sinter/trace/ops/creation/random.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>
#include <sinter/trace/transform/grad.hpp>

#include "testing.hpp"

namespace testing {

/// sum(x * numbers that differ), so that no two elements of x matter alike.
inline Tensor weighted_sum(const Tensor& x) {
  const Tensor flat = reshape(x, {-1});
  return sum(mul(flat, sin(add(arange(flat.size(0)).to(f64), 1.0))));
}

/// The largest difference between the gradient of weighted_sum(f(x)) and central differences; on a
/// GPU of a few elements.
template <class F>
double slope_error(const F& f, const Tensor& x) {
  const Shape shape = x.shape();
  const auto loss = [&](const Tensor& y) { return weighted_sum(f(y)); };
  const Numbers found = numbers(grad(loss)(x));
  Numbers at = numbers(x);
  double worst = 0;
  const std::size_t next = sinter_test::by_device<std::size_t>(1, at.size() / 5 + 1);
  for (std::size_t i = 0; i < at.size(); i += next) {
    const double before = at[i], step = 1e-5;
    const auto value = [&](double moved) {
      at[i] = moved;
      return loss(from_vector(at, shape)).template item<double>();
    };
    const double slope = (value(before + step) - value(before - step)) / (2 * step);
    at[i] = before;
    worst = std::fmax(worst, std::fabs(found[i] - slope) / std::fmax(1, std::fabs(slope)));
  }
  return worst;
}

inline Tensor noise(const Shape& shape) { return randn(shape, f64); }

}  // namespace testing
