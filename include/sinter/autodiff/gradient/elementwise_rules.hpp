#pragma once
// The gradient rules of elementwise operations, by the names of the operations.

#include <sinter/autodiff/gradient/backward.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff::gradient_of {

Value cast(const Backward& at, std::size_t input);
Value neg(const Backward& at, std::size_t input);
/// 0 at 0.
Value abs(const Backward& at, std::size_t input);
Value exp(const Backward& at, std::size_t input);
Value expm1(const Backward& at, std::size_t input);
Value log(const Backward& at, std::size_t input);
Value log1p(const Backward& at, std::size_t input);
Value sin(const Backward& at, std::size_t input);
Value cos(const Backward& at, std::size_t input);
Value tan(const Backward& at, std::size_t input);
Value tanh(const Backward& at, std::size_t input);
Value atan(const Backward& at, std::size_t input);
Value erf(const Backward& at, std::size_t input);
/// Infinite at 0.
Value sqrt(const Backward& at, std::size_t input);

Value add(const Backward& at, std::size_t input);
Value sub(const Backward& at, std::size_t input);
Value mul(const Backward& at, std::size_t input);
Value div(const Backward& at, std::size_t input);
Value remainder(const Backward& at, std::size_t input);
/// Of the base: 0 where the exponent is 0. Of the exponent: 0 where the base is 0 and the exponent
/// is not negative.
Value pow(const Backward& at, std::size_t input);
/// Half for each operand where the two are equal.
Value minimum(const Backward& at, std::size_t input);
Value maximum(const Backward& at, std::size_t input);
/// 0, and never NaN, for the operand that was not selected.
Value select(const Backward& at, std::size_t input);

}  // namespace sinter::inline SINTER_ABI::detail::autodiff::gradient_of

#ifdef SINTER_DEFINITIONS
#include <sinter/autodiff/gradient/elementwise_rules.ipp>
#endif
