#pragma once
// Layers that compute nothing.

#include <cstdint>  // std::int64_t
#include <vector>   // std::vector

#include <sinter/trace/module.hpp>
#include <sinter/trace/movement.hpp>
#include <sinter/trace/rearrange.hpp>
#include <sinter/trace/walk.hpp>

namespace sinter::inline SINTER_ABI::nn {

/// Axes `first` to `last` as one: all but the batch.
struct Flatten {
  int first = 1;
  int last = -1;
  SINTER_MODULE(Flatten, first, last)
  Tensor forward(Operand x) const { return flatten(x, first, last); }
};

/// Axis `axis` as several, of these sizes; one may be -1 and is computed.
///
/// Throws ShapeError if they do not fill the axis
struct Unflatten {
  int axis = 1;
  std::vector<std::int64_t> sizes{};
  SINTER_MODULE(Unflatten, axis, sizes)
  Tensor forward(Operand x) const;
};

struct Identity {
  SINTER_MODULE(Identity)
  Tensor forward(Operand x) const { return x.tensor(); }
};

}  // namespace sinter::inline SINTER_ABI::nn

#ifdef SINTER_DEFINITIONS
#include <sinter/nn/flatten.ipp>
#endif
