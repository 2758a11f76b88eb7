#pragma once
// The gradients of convolutions.

#include <cstdint>      // std::int64_t
#include <string_view>  // std::string_view

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/ops/movement/window.hpp>

namespace sinter::inline SINTER_ABI::detail {

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

/// The gradient of x, of `shape`, in convolve_groups(): `g` with its elements `step` apart,
/// convolved with the transposed weight.
Tensor gradient_of_input(const Tensor& g, const Tensor& weight, const Shape& shape,
                         std::int64_t groups, Vector<WindowAxis> axes, std::string_view op,
                         Where where);
/// The gradient of the weight, of `shape`: the product of the windows of `x` and `g`.
Tensor gradient_of_weight(const Tensor& g, const Tensor& x, const Shape& shape, std::int64_t groups,
                          const Vector<WindowAxis>& axes, std::string_view op, Where where);

namespace whole {

/// True if the generic rules would materialize and add up gradients of overlapping windows, and a
/// few convolutions are cheaper: these have as many results as x has channels, which must amortize
/// the windows.
bool overlaps(const Tensor& x, const Tensor& weight, const Vector<WindowAxis>& axes, Where where);
/// The gradient of x, of `shape`, with one group: a convolution for each phase of the axes from
/// `axis` on.
Tensor gradient_of_input(const Tensor& g, const Tensor& weight, const Shape& shape,
                         Vector<WindowAxis> axes, std::size_t axis, std::string_view op,
                         Where where);
Tensor gradient_of_weight(const Tensor& g, const Tensor& x, const Vector<WindowAxis>& axes,
                          std::string_view op, Where where);

}  // namespace whole

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/functional/convolution/gradient.ipp>
#endif
