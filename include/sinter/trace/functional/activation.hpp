#pragma once
// Activation functions. Names and defaults are those of torch.

#include <cstdint>   // std::uint8_t
#include <optional>  // std::optional

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

/// max(x, 0). Gradient g where x > 0.
Tensor relu(Operand x);
/// x where x > 0, else slope * x.
Tensor leaky_relu(Operand x, double negative_slope = 0.01);
/// leaky_relu with a learned slope: one, or one for each channel (axis 1 of `x`).
///
/// Throws ShapeError unless `weight` has one element, or as many as `x` has channels
Tensor prelu(Operand x, Operand weight);
/// min(max(x, 0), 6)
Tensor relu6(Operand x);
/// x clamped to [min_val, max_val]. Gradient g where min < x < max.
///
/// Throws ValueError if min_val > max_val
Tensor hardtanh(Operand x, double min_val = -1, double max_val = 1);
/// x where x > 0, else alpha * (exp(x) - 1).
Tensor elu(Operand x, double alpha = 1);
/// x where x > 0, else alpha * (exp(x / alpha) - 1).
Tensor celu(Operand x, double alpha = 1);
/// Scaled elu whose constants preserve mean 0 and variance 1.
///
/// Source https://arxiv.org/abs/1706.02515
Tensor selu(Operand x);

/// 1 / (1 + exp(-x)), without overflow.
Tensor sigmoid(Operand x);
/// log(sigmoid(x)), without overflow.
Tensor logsigmoid(Operand x);
/// log(x / (1 - x)), with x clamped to [eps, 1 - eps] if eps is given; if eps > 0.5, as torch does:
/// eps where x < eps, else 1 - eps where x > 1 - eps.
Tensor logit(Operand x, std::optional<double> eps = {});
/// min(max(x + 3, 0), 6) / 6
Tensor hardsigmoid(Operand x);
/// x * sigmoid(x).
Tensor silu(Operand x);
/// x * hardsigmoid(x).
Tensor hardswish(Operand x);
/// log(1 + exp(beta * x)) / beta; x where beta * x is above the threshold.
Tensor softplus(Operand x, double beta = 1, double threshold = 20);
/// x * tanh(softplus(x)).
Tensor mish(Operand x);
/// x / (1 + |x|).
Tensor softsign(Operand x);
/// x - tanh(x).
Tensor tanhshrink(Operand x);
/// x moved towards 0 by lambd; 0 where |x| <= lambd.
Tensor softshrink(Operand x, double lambd = 0.5);
/// 0 where |x| <= lambd, else x.
Tensor hardshrink(Operand x, double lambd = 0.5);
/// x where x > threshold, else value.
Tensor threshold(Operand x, double threshold, double value);
/// The first half along `axis`, times the sigmoid of the second.
///
/// Throws ShapeError unless the extent is even
Tensor glu(Operand x, int axis = -1);

enum class Gelu : std::uint8_t { exact, tanh };
/// x * P(X <= x) for a standard normal X; `tanh` selects the tanh approximation.
///
/// Source https://arxiv.org/abs/1606.08415
Tensor gelu(Operand x, Gelu form = Gelu::exact);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/functional/activation.ipp>
#endif
