#pragma once
// Activation functions as layers.

#include <cstdint>  // std::int64_t

#include <sinter/trace/functional/activation.hpp>
#include <sinter/trace/functional/norm/normalize.hpp>
#include <sinter/trace/module/module.hpp>
#include <sinter/trace/module/walk.hpp>
#include <sinter/trace/ops/creation/create.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>

namespace sinter::inline SINTER_ABI::nn {

struct ReLU {
  SINTER_MODULE(ReLU)
  Tensor forward(Operand x) const { return relu(x); }
};

struct ReLU6 {
  SINTER_MODULE(ReLU6)
  Tensor forward(Operand x) const { return relu6(x); }
};

struct LeakyReLU {
  double negative_slope = 0.01;
  SINTER_MODULE(LeakyReLU, negative_slope)
  Tensor forward(Operand x) const { return leaky_relu(x, negative_slope); }
};

struct ELU {
  double alpha = 1;
  SINTER_MODULE(ELU, alpha)
  Tensor forward(Operand x) const { return elu(x, alpha); }
};

struct SELU {
  SINTER_MODULE(SELU)
  Tensor forward(Operand x) const { return selu(x); }
};

struct GELU {
  Gelu form = Gelu::exact;
  SINTER_MODULE(GELU, form)
  Tensor forward(Operand x) const { return gelu(x, form); }
};

struct SiLU {
  SINTER_MODULE(SiLU)
  Tensor forward(Operand x) const { return silu(x); }
};

struct Mish {
  SINTER_MODULE(Mish)
  Tensor forward(Operand x) const { return mish(x); }
};

struct Hardswish {
  SINTER_MODULE(Hardswish)
  Tensor forward(Operand x) const { return hardswish(x); }
};

struct Hardsigmoid {
  SINTER_MODULE(Hardsigmoid)
  Tensor forward(Operand x) const { return hardsigmoid(x); }
};

struct Hardtanh {
  double min_val = -1;
  double max_val = 1;
  SINTER_MODULE(Hardtanh, min_val, max_val)
  Tensor forward(Operand x) const { return hardtanh(x, min_val, max_val); }
};

struct Sigmoid {
  SINTER_MODULE(Sigmoid)
  Tensor forward(Operand x) const { return sigmoid(x); }
};

struct LogSigmoid {
  SINTER_MODULE(LogSigmoid)
  Tensor forward(Operand x) const { return logsigmoid(x); }
};

struct Tanh {
  SINTER_MODULE(Tanh)
  Tensor forward(Operand x) const { return tanh(x); }
};

struct Softplus {
  double beta = 1;
  double threshold = 20;
  SINTER_MODULE(Softplus, beta, threshold)
  Tensor forward(Operand x) const { return softplus(x, beta, threshold); }
};

struct Softsign {
  SINTER_MODULE(Softsign)
  Tensor forward(Operand x) const { return softsign(x); }
};

/// exp(x) / sum(exp(x)) along `axis`.
struct Softmax {
  int axis = -1;
  SINTER_MODULE(Softmax, axis)
  Tensor forward(Operand x) const { return softmax(x, axis); }
};

/// log(softmax(x)) along `axis`.
struct LogSoftmax {
  int axis = -1;
  SINTER_MODULE(LogSoftmax, axis)
  Tensor forward(Operand x) const { return log_softmax(x, axis); }
};

/// The first half along `axis`, times the sigmoid of the second.
struct GLU {
  int axis = -1;
  SINTER_MODULE(GLU, axis)
  Tensor forward(Operand x) const { return glu(x, axis); }
};

/// x where x > 0, else weight * x, with a learned slope: one, or one for each channel (axis 1).
///
/// Throws ShapeError unless there is one, or as many as x has channels
struct PReLU {
  Tensor weight;  ///< (count); starts as 0.25.
  SINTER_MODULE(PReLU, weight)

  explicit PReLU(std::int64_t count = 1, double initial = 0.25, Where where = Where::current())
      : weight(full({count}, {initial, where}, f32)) {}

  Tensor forward(Operand x) const { return prelu(x, {weight, x.where}); }
};

}  // namespace sinter::inline SINTER_ABI::nn
