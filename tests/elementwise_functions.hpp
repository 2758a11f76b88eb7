#pragma once
// The elementwise functions of one tensor, a row for each, and where torch's figures of them are
// taken. Tests compare each with torch (tests/reference), and its typed form with the untyped one
// (tests/trace/typed). tests/data/torch/elementwise.py reads the rows and records what torch
// computes for the function of the same name.

#include <sinter/sinter.hpp>

#include <string_view>
#include <utility>
#include <vector>

namespace elementwise_functions {

using namespace sinter;

using Typed = TensorOf<double, "n">;

struct Function {
  std::string_view name;
  Tensor (*untyped)(const Tensor& x);
  /// Of the typed form: its result, and the dtype in the type of that.
  std::pair<Tensor, DType> (*typed)(const Typed& x);
  double low, high;                ///< The interval of arguments.
  std::vector<double> delicate{};  ///< Where the gradient is delicate.
};

template <class F>
Function function(std::string_view name, F, double low, double high,
                  std::vector<double> delicate = {}) {
  const auto untyped = [](const Tensor& x) -> Tensor { return F()(x); };
  const auto typed = [](const Typed& x) {
    const auto result = F()(x);
    static_assert(sinter::detail::Expression<decltype(result)>,
                  "a row of tests/elementwise_functions.hpp has no typed form: see "
                  "docs/adding_an_operation.md");
    return std::pair(Tensor(result), decltype(result)::type.dtype);
  };
  return {name, untyped, typed, low, high, std::move(delicate)};
}

// The table: name, function, the interval of arguments, and where gradients are delicate. Without
// such places torch's gradient is not recorded there. The order is that of the figures.
// clang-format off
inline const std::vector<Function> functions{
    function("exp", [](const auto& x) { return exp(x); }, -2, 2, {0, -700, 700}),
    function("expm1", [](const auto& x) { return expm1(x); }, -2, 2, {0, 1e-12, -1e-12, -700}),
    function("log", [](const auto& x) { return log(x); }, 0.1, 4, {0, 1, 1e-300, 1e300}),
    function("log1p", [](const auto& x) { return log1p(x); }, -0.9, 4, {0, 1e-12, -1, 1e300}),
    function("log2", [](const auto& x) { return log2(x); }, 0.1, 4, {0, 1, 8, 1e-300}),
    function("sqrt", [](const auto& x) { return sqrt(x); }, 0.1, 4, {0, 1e-300, 1e300, -1}),
    function("rsqrt", [](const auto& x) { return rsqrt(x); }, 0.1, 4, {0, 1e-100, 1e100}),
    function("reciprocal", [](const auto& x) { return reciprocal(x); }, 0.3, 4, {0, -1, 1e-200}),
    function("square", [](const auto& x) { return square(x); }, -2, 2, {0, 1e200}),
    function("sin", [](const auto& x) { return sin(x); }, -4, 4, {0, 1.5707963267948966, 1e5}),
    function("cos", [](const auto& x) { return cos(x); }, -4, 4, {0, 3.141592653589793, 1e5}),
    function("tan", [](const auto& x) { return tan(x); }, -1.4, 1.4, {0, 1.5707963267948966}),
    function("asin", [](const auto& x) { return asin(x); }, -0.9, 0.9, {0, 1, -1}),
    function("acos", [](const auto& x) { return acos(x); }, -0.9, 0.9, {0, 1, -1}),
    function("atan", [](const auto& x) { return atan(x); }, -4, 4, {0, 1e10, -1e200}),
    function("sinh", [](const auto& x) { return sinh(x); }, -2, 2, {0, 1e-10, 700}),
    function("cosh", [](const auto& x) { return cosh(x); }, -2, 2, {0, 700}),
    function("tanh", [](const auto& x) { return tanh(x); }, -2, 2, {0, 1e-10, 30, -700}),
    function("erf", [](const auto& x) { return erf(x); }, -2, 2, {0, 1e-10, 7, -30}),
    function("sigmoid", [](const auto& x) { return sigmoid(x); }, -4, 4, {0, 40, -40, 800, -800}),
    function("relu", [](const auto& x) { return relu(x); }, -2, 2, {0.0, -0.0, 1}),
    function("silu", [](const auto& x) { return silu(x); }, -4, 4, {0, 40, -40, -800}),
    function("softplus", [](const auto& x) { return softplus(x); }, -4, 4,
             {0, 19, 21, 40, -40, 800}),
    function("gelu", [](const auto& x) { return gelu(x); }, -4, 4, {0, 8, -8, 40, -40}),
    function("abs", [](const auto& x) { return abs(x); }, -2, 2, {0.0, -0.0, 1e300}),
    function("neg", [](const auto& x) { return neg(x); }, -2, 2, {0}),
    function("sign", [](const auto& x) { return sign(x); }, -2, 2, {0.0, 1}),
    function("floor", [](const auto& x) { return floor(x); }, -4, 4, {0, 2, -0.5}),
    function("ceil", [](const auto& x) { return ceil(x); }, -4, 4, {0, 2, -0.5}),
    function("trunc", [](const auto& x) { return trunc(x); }, -4, 4, {0, 2, -0.5}),
    function("round", [](const auto& x) { return round(x); }, -4, 4, {0.5, 1.5, -0.5, 2.5}),
    function("exp2", [](const auto& x) { return exp2(x); }, -2, 2, {0, -1000}),
    function("log10", [](const auto& x) { return log10(x); }, 0.1, 4, {0, 1, 1000, 1e-300}),
    function("asinh", [](const auto& x) { return asinh(x); }, -4, 4, {0, 1e-10, -1e10}),
    function("acosh", [](const auto& x) { return acosh(x); }, 1.1, 4, {1, 0.5, 1e10}),
    function("atanh", [](const auto& x) { return atanh(x); }, -0.9, 0.9, {0, 1e-10, 1, -1}),
    function("frac", [](const auto& x) { return frac(x); }, -4, 4, {0, 2, -0.5}),
    function("relu6", [](const auto& x) { return relu6(x); }, -8, 8, {0, 6, 7}),
    function("selu", [](const auto& x) { return selu(x); }, -4, 4, {0, -40}),
    function("logsigmoid", [](const auto& x) { return logsigmoid(x); }, -4, 4, {0, 40, -40, -800}),
    function("hardsigmoid", [](const auto& x) { return hardsigmoid(x); }, -4, 4, {0, 3, -3}),
    function("hardswish", [](const auto& x) { return hardswish(x); }, -4, 4, {0, 3, -3}),
    function("mish", [](const auto& x) { return mish(x); }, -4, 4, {0, 30, -40}),
    function("softsign", [](const auto& x) { return softsign(x); }, -4, 4, {0, 1e10}),
    function("tanhshrink", [](const auto& x) { return tanhshrink(x); }, -4, 4, {0, 40}),
    function("isposinf", [](const auto& x) { return isposinf(x); }, -2, 2),
    function("isneginf", [](const auto& x) { return isneginf(x); }, -2, 2),
    function("signbit", [](const auto& x) { return signbit(x); }, -2, 2),
    function("isnan", [](const auto& x) { return isnan(x); }, -2, 2),
    function("isinf", [](const auto& x) { return isinf(x); }, -2, 2),
    function("isfinite", [](const auto& x) { return isfinite(x); }, -2, 2),
    function("logical_not", [](const auto& x) { return logical_not(x); }, -2, 2),
};
// clang-format on

}  // namespace elementwise_functions
