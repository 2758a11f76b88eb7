#pragma once
// Convolutions in which all channels meet, and their gradients.

#include <cstdint>      // std::int64_t
#include <optional>     // std::optional
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/ops/movement/window.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// x (batch, in, ...) by weight (out, in, kernel...): (batch, out, ...).
Tensor convolve_whole(const Tensor& x, const Tensor& weight, const std::vector<WindowAxis>& axes,
                      std::string_view op, Where where);

/// The elements of a kernel that meet every `step`-th element of an input, from one of them on:
/// `first`, `first` + `apart`, ... By a convolution with these alone, of step 1, the gradients of
/// the results become those of such elements of the input.
struct Phase {
  std::int64_t first = 0, apart = 1;
  WindowAxis windows{};  ///< Of the gradients; where `low` or `high` is negative, they are cut.
};

/// That of the elements `start`, `start` + axis.step, ..., if any element of the kernel meets them.
std::optional<Phase> phase_of(const WindowAxis& axis, std::int64_t start);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/functional/convolution/ungrouped.ipp>
#endif
