#pragma once
// softmax, layer norm and RMS norm.

#include <concepts>          // std::integral
#include <initializer_list>  // std::initializer_list
#include <optional>          // std::optional
#include <string_view>       // std::string_view
#include <vector>            // std::vector

#include <sinter/config.hpp>
#include <sinter/trace/core/axis.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

/// exp(x) / sum(exp(x)) along `axis`, without overflow. f16 and bf16 compute in f32.
///
/// Shapes   that of `x`
/// DTypes   floating, integers as f32; with `dtype`, `x` is cast to it first
/// Throws   IndexError if `x` has no such axis
Tensor softmax(Operand x, int axis, std::optional<DType> dtype = std::nullopt);
/// log(softmax(x, axis)).
Tensor log_softmax(Operand x, int axis, std::optional<DType> dtype = std::nullopt);
/// softmax(-x, axis).
Tensor softmin(Operand x, int axis, std::optional<DType> dtype = std::nullopt);

/// (x - mean) / sqrt(var + eps) over the last axes, which are those of `weight`; then
/// * weight + bias. f16 and bf16 compute in f32.
///
/// Shapes   x (..., shape), weight and bias `shape`
/// Throws   ShapeError if x does not end in the shape of weight
/// Source   https://arxiv.org/abs/1607.06450
Tensor layer_norm(Operand x, Operand weight, Operand bias, double eps = 1e-5);
Tensor layer_norm(Operand x, Operand weight, double eps = 1e-5);

namespace detail {

/// Without weight and bias, over the last `axes` axes.
Tensor layer_norm_over(Operand x, int axes, double eps = 1e-5);

}  // namespace detail

/// torch's signature: layer_norm(x, 5, weight, bias), layer_norm(x, {3, 5}).
Tensor layer_norm(Operand x, Shape normalized_shape, std::optional<Operand> weight = std::nullopt,
                  std::optional<Operand> bias = std::nullopt, double eps = 1e-5);
Tensor layer_norm(Operand x, std::initializer_list<Extent> normalized_shape,
                  std::optional<Operand> weight = std::nullopt,
                  std::optional<Operand> bias = std::nullopt, double eps = 1e-5);
template <std::integral T>
Tensor layer_norm(Operand x, T normalized_size, std::optional<Operand> weight = std::nullopt,
                  std::optional<Operand> bias = std::nullopt, double eps = 1e-5) {
  return layer_norm(x, {Extent(normalized_size)}, weight, bias, eps);
}

/// x / sqrt(mean(x^2) + eps) over the last axes, which are those of `weight`, * weight. f16 and
/// bf16 compute in f32.
///
/// Throws   ShapeError if x does not end in the shape of weight
/// Source   https://arxiv.org/abs/1910.07467
Tensor rms_norm(Operand x, Operand weight, double eps = 1e-5);
/// torch's signature; `eps` defaults to the machine epsilon of the dtype.
Tensor rms_norm(Operand x, Shape normalized_shape, std::optional<Operand> weight = std::nullopt,
                std::optional<double> eps = std::nullopt);
Tensor rms_norm(Operand x, std::initializer_list<Extent> normalized_shape,
                std::optional<Operand> weight = std::nullopt,
                std::optional<double> eps = std::nullopt);
template <std::integral T>
Tensor rms_norm(Operand x, T normalized_size, std::optional<Operand> weight = std::nullopt,
                std::optional<double> eps = std::nullopt) {
  return rms_norm(x, {Extent(normalized_size)}, weight, eps);
}

namespace detail {

/// `x` in the computation dtype of norms and losses: f32 for integers, f16 and bf16.
Operand as_wide(const Operand& x);
/// `result` in its public dtype: that of `x` if it is f16 or bf16, except under autocast, where it
/// stays f32.
Tensor as_narrow(const Tensor& result, const Operand& x);
/// (x - mean) / sqrt(var + eps) over `axes`, for floating x.
Tensor standardized(const Operand& x, const std::vector<int>& axes, double eps);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/functional/norm/normalize.ipp>
#endif
