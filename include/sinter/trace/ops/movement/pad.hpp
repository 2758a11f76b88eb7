#pragma once
// Padding with the tensor's own elements: reflect, replicate, circular.

#include <cstdint>  // std::uint8_t
#include <utility>  // std::pair
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

/// The padding mode; examples for [1, 2, 3] with two elements before it
enum class PadMode : std::uint8_t {
  constant,   ///< 0, 0
  reflect,    ///< 3, 2: without the edge
  replicate,  ///< 1, 1
  circular    ///< 2, 3
};

/// Pads each axis with elements of `x`: widths[i] = {before, after}.
///
/// Throws   ShapeError unless there is a pair for each axis, or an axis is too short: `reflect`
///          takes widths below its extent, `circular` up to it, `replicate` needs an element;
///          ValueError for a width below 0
/// Gradient g in the middle, plus g of the repeated elements
Tensor pad(Operand x, std::vector<std::pair<Extent, Extent>> widths, PadMode mode);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/ops/movement/pad.ipp>
#endif
