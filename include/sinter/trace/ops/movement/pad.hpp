#pragma once
// What stands around a tensor: its own elements.

#include <cstdint>  // std::uint8_t
#include <utility>  // std::pair
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

/// What padding repeats: for [1, 2, 3] with two elements in front of it
enum class PadMode : std::uint8_t {
  constant,   ///< 0, 0
  reflect,    ///< 3, 2: without the edge
  replicate,  ///< 1, 1
  circular    ///< 2, 3
};

/// Elements of `x` in front of and behind each axis: widths[i] = {before, after}.
///
/// Throws   ShapeError unless there is a pair for each axis, or an axis is too short: `reflect`
///          takes widths below its extent, `circular` up to it, `replicate` needs an element;
///          ValueError for a width below 0
/// Gradient that of what is in the middle, and of what was repeated
Tensor pad(Operand x, std::vector<std::pair<Extent, Extent>> widths, PadMode mode);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/ops/movement/pad.ipp>
#endif
