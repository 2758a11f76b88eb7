#pragma once
// The mathematical functions of generated C++.

#include <array>        // std::array
#include <string_view>  // std::string_view

#include <sinter/codegen/prelude.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::codegen::detail {

inline constexpr std::array<Helper, 18> cpp_math_helpers{{
    {"exp", "f32", Lanes::one, R"(INLINE $E exp_$S($E v) { return __builtin_expf(v); })"},
    {"log", "f32", Lanes::one, R"(INLINE $E log_$S($E v) { return __builtin_logf(v); })"},
    {"sin", "f32", Lanes::one, R"(INLINE $E sin_$S($E v) { return __builtin_sinf(v); })"},
    {"cos", "f32", Lanes::one, R"(INLINE $E cos_$S($E v) { return __builtin_cosf(v); })"},
    {"tanh", "f32", Lanes::one, R"(INLINE $E tanh_$S($E v) { return __builtin_tanhf(v); })"},
    {"erf", "f32", Lanes::one, R"(INLINE $E erf_$S($E v) { return __builtin_erff(v); })"},
    {"sqrt", "f32", Lanes::one, R"(INLINE $E sqrt_$S($E v) { return __builtin_sqrtf(v); })"},
    {"floor", "f32", Lanes::one, R"(INLINE $E floor_$S($E v) { return __builtin_floorf(v); })"},
    {"pow", "f32", Lanes::one,
     R"(INLINE $E pow_$S($E a, $E b) { return __builtin_powf(a, b); })"},
    {"exp", "f64", Lanes::one, R"(INLINE $E exp_$S($E v) { return __builtin_exp(v); })"},
    {"log", "f64", Lanes::one, R"(INLINE $E log_$S($E v) { return __builtin_log(v); })"},
    {"sin", "f64", Lanes::one, R"(INLINE $E sin_$S($E v) { return __builtin_sin(v); })"},
    {"cos", "f64", Lanes::one, R"(INLINE $E cos_$S($E v) { return __builtin_cos(v); })"},
    {"tanh", "f64", Lanes::one, R"(INLINE $E tanh_$S($E v) { return __builtin_tanh(v); })"},
    {"erf", "f64", Lanes::one, R"(INLINE $E erf_$S($E v) { return __builtin_erf(v); })"},
    {"sqrt", "f64", Lanes::one, R"(INLINE $E sqrt_$S($E v) { return __builtin_sqrt(v); })"},
    {"floor", "f64", Lanes::one, R"(INLINE $E floor_$S($E v) { return __builtin_floor(v); })"},
    {"pow", "f64", Lanes::one, R"(INLINE $E pow_$S($E a, $E b) { return __builtin_pow(a, b); })"},
}};

}  // namespace sinter::inline SINTER_ABI::codegen::detail
