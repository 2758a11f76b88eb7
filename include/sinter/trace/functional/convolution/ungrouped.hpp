#pragma once
// Convolutions with one group, and their gradients.

#include <cstdint>      // std::int64_t
#include <string_view>  // std::string_view

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/ops/movement/window.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// x (batch, in, ...) by weight (out, in, kernel...): (batch, out, ...).
Tensor convolve_whole(const Tensor& x, const Tensor& weight, const Vector<WindowAxis>& axes,
                      std::string_view op, Where where);

/// The kernel elements that touch every `step`-th input element from some start on: `first`,
/// `first` + `apart`, ... A stride-1 convolution of the result gradients with only these elements
/// gives the gradients of those input elements.
struct Phase {
  std::int64_t first = 0, apart = 1;
  WindowAxis windows{};  ///< Of the gradients; a negative `low` or `high` crops them.
};

/// The phase of input elements `start`, `start` + axis.step, ...; nothing if no kernel element
/// touches them.
Optional<Phase> phase_of(const WindowAxis& axis, std::int64_t start);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/functional/convolution/ungrouped.ipp>
#endif
