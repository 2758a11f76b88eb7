#pragma once
// Helpers of elementwise tests: compare a tensor function with a scalar function, in all backends.

#include <sinter/jit/compile.hpp>
#include <sinter/trace/context/mark_dynamic.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>
#include <sinter/trace/transform/grad.hpp>

#include "testing.hpp"

namespace testing {

using Apply = Tensor (*)(Operand);

/// `function` of these f64 numbers, evaluated at once and compiled, for this size and for any; on a
/// GPU for one of the two in turn.
template <class Function>
bool gives(Function function, const Numbers& xs, const Numbers& expected,
           double tolerance = 4e-16) {
  const Tensor x = from_vector(xs, {xs.size()});
  Tensor of_any_size = x;
  mark_dynamic(of_any_size, 0);
  auto compiled = compile([function](const Tensor& at) -> Tensor { return function(at); });
  auto dynamic = compile([function](const Tensor& at) -> Tensor { return function(at); });
  // Functions of CUDA are within 2 units in the last place, those of the C library within 1.
  if (sinter_test::on_gpu() && tolerance > 0) tolerance = std::fmax(tolerance, 2e-15);
  const bool is_sized = sinter_test::by_device(true, sinter_test::next_turn());
  const bool is_sizeless = sinter_test::by_device(true, !is_sized);
  return near(function(x), expected, tolerance) &&
         (!is_sized || near(compiled(x), expected, tolerance)) &&
         (!is_sizeless || near(dynamic(of_any_size), expected, tolerance));
}

/// The same, from a function of the C library.
template <class Function, class Expected>
bool agrees(Function function, const Numbers& xs, Expected expected, double tolerance = 4e-16) {
  Numbers results;
  for (const double x : xs) results.push_back(expected(x));
  return gives(function, xs, results, tolerance);
}

/// The derivative of `function`, one element at a time.
template <class Function>
bool slopes(Function function, const Numbers& xs, const Numbers& expected,
            double tolerance = 4e-16) {
  const auto total = [function](const Tensor& at) { return sum(function(at)); };
  return gives(grad(total), xs, expected, tolerance);
}

}  // namespace testing
