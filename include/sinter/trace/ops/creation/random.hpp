#pragma once
// Random numbers: Philox keyed by the seed, the number of earlier draws and the position of the
// element. Equal on every device, eager and compiled.

#include <cstdint>      // std::int64_t
#include <string_view>  // std::string_view

#include <sinter/config.hpp>
#include <sinter/trace/context/random_state.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

/// Throws ValueError in the name of `op` unless 0 <= p <= 1.
void require_probability(double p, std::string_view op, Where where);

}  // namespace detail

/// Uniform in [0, 1): multiples of 2^-53 in f64, 2^-24 in f32, 2^-11 in f16, 2^-8 in bf16.
///
/// Throws DTypeError unless `dtype` is floating
Tensor rand(Shape shape, DType dtype = f32, Where where = Where::current());
/// The same with the shape and dtype of `x`, whose elements do not matter.
Tensor rand_like(Operand x);
/// Normal with mean 0 and standard deviation 1.
///
/// Throws DTypeError unless `dtype` is floating
Tensor randn(Shape shape, DType dtype = f32, Where where = Where::current());
/// The same with the shape and dtype of `x`, whose elements do not matter.
Tensor randn_like(Operand x);
/// Normal; mean and standard deviation for each element, or one for all.
///
/// Shapes   those of `mean` and `deviation`, broadcast
/// Gradient mean: g, deviation: g times the standard normal sample
Tensor normal(Operand mean, Operand deviation);
Tensor normal(double mean, double deviation, Shape shape, DType dtype = f32,
              Where where = Where::current());
/// Integers, uniform in [low, high), for any width of the range.
///
/// Throws ValueError unless low < high; DTypeError if `dtype` does not hold both low and high - 1
Tensor randint(std::int64_t low, std::int64_t high, Shape shape, DType dtype = i64,
               Where where = Where::current());
/// Integers, uniform in [0, high); i64.
Tensor randint(std::int64_t high, Shape shape, Where where = Where::current());
/// 0, 1, ... n - 1 in random order; i64. Sorts by 64 random bits each; ties, which keep their
/// order, have a probability below n * n / 2^65.
Tensor randperm(Extent n, Where where = Where::current());
/// 1 with probability `p`, else 0, with the shape and dtype of `p`.
Tensor bernoulli(Operand p);
/// The same with shape `shape`, to which `p` is broadcast.
///
/// Throws ValueError for a number outside [0, 1]; ShapeError if `p` does not broadcast to `shape`
Tensor bernoulli(Operand p, Shape shape);
/// Indices along the last axis of `x`, drawn with probabilities proportional to its elements; i64.
///
/// Shapes   that of `x`, but for the last axis, which has the extent `count`
/// Throws   ValueError if `x` has no axis or, without replacement, fewer elements than `count`
Tensor multinomial(Operand x, std::int64_t count, bool replacement = false);
/// Each element is 0 with probability `p`, else divided by 1 - p.
///
/// Throws ValueError unless 0 <= p <= 1
Tensor dropout(Operand x, double p = 0.5);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/ops/creation/random.ipp>
#endif
