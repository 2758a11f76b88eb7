#pragma once
// Layers that compute nothing.

#include <sinter/trace/module.hpp>
#include <sinter/trace/movement.hpp>
#include <sinter/trace/walk.hpp>

namespace sinter::inline SINTER_ABI::nn {

/// Axes `first` to `last` as one: all but the batch.
struct Flatten {
  int first = 1;
  int last = -1;
  SINTER_MODULE(Flatten, first, last)
  Tensor forward(Operand x) const { return flatten(x, first, last); }
};

struct Identity {
  SINTER_MODULE(Identity)
  Tensor forward(Operand x) const { return x.tensor(); }
};

}  // namespace sinter::inline SINTER_ABI::nn
