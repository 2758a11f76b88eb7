#pragma once
// Activation functions as layers.

#include <sinter/trace/activation.hpp>
#include <sinter/trace/elementwise.hpp>
#include <sinter/trace/module.hpp>
#include <sinter/trace/normalize.hpp>
#include <sinter/trace/walk.hpp>

namespace sinter::inline SINTER_ABI::nn {

struct ReLU {
  SINTER_MODULE(ReLU)
  Tensor forward(Operand x) const { return relu(x); }
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

struct Sigmoid {
  SINTER_MODULE(Sigmoid)
  Tensor forward(Operand x) const { return sigmoid(x); }
};

struct Tanh {
  SINTER_MODULE(Tanh)
  Tensor forward(Operand x) const { return tanh(x); }
};

/// exp(x) / sum(exp(x)) along `axis`.
struct Softmax {
  int axis = -1;
  SINTER_MODULE(Softmax, axis)
  Tensor forward(Operand x) const { return softmax(x, axis); }
};

}  // namespace sinter::inline SINTER_ABI::nn
