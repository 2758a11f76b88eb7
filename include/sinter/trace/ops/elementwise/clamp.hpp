#pragma once
// Numbers between two others: bounds and interpolation.

#include <optional>  // std::nullopt_t, std::optional

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

/// What bounds the elements: clamp(x, {.min = 0}).
struct Bounds {
  std::optional<Operand> min{}, max{};
};

}  // namespace detail

/// min <= x <= max; if they cross, max. NaN stays, and a bound that is NaN gives NaN.
///
/// Shapes   broadcast
/// Gradient x: g where min < x < max; a bound that is a tensor: g where it is the result, half of
/// it
///          where x is equal
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.clamp.html
Tensor clamp(Operand x, Operand min, Operand max);
Tensor clamp(Operand x, Operand min);
Tensor clamp(Operand x, std::nullopt_t, Operand max);
/// Throws ValueError if there is no bound.
Tensor clamp(Operand x, detail::Bounds bounds);
Tensor clamp_min(Operand x, Operand min);
Tensor clamp_max(Operand x, Operand max);

/// The smaller and the larger of two; of a number and NaN, the number.
Tensor fmin(Operand lhs, Operand rhs);
Tensor fmax(Operand lhs, Operand rhs);

/// x + weight * (end - x); exactly `end` for a weight of 1.
Tensor lerp(Operand x, Operand end, Operand weight);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/ops/elementwise/clamp.ipp>
#endif
