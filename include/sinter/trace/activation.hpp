#pragma once
// Activation functions, written in the primitives.

#include <cstdint>  // std::uint8_t

#include <sinter/config.hpp>
#include <sinter/trace/tensor.hpp>

namespace sinter::inline SINTER_ABI {

/// max(x, 0). Gradient g where x > 0.
Tensor relu(Operand x);
/// x where x > 0, else slope * x.
Tensor leaky_relu(Operand x, double negative_slope = 0.01);
/// 1 / (1 + exp(-x)), which does not overflow.
Tensor sigmoid(Operand x);
/// x * sigmoid(x).
Tensor silu(Operand x);
/// log(1 + exp(x)), which does not overflow.
Tensor softplus(Operand x);

enum class Gelu : std::uint8_t { exact, tanh };
/// x * P(X <= x) for a standard normal X; `tanh` is the usual approximation of it.
///
/// Source https://arxiv.org/abs/1606.08415
Tensor gelu(Operand x, Gelu form = Gelu::exact);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/activation.ipp>
#endif
