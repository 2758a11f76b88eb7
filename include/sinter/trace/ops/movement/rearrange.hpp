#pragma once
// Rearrangements: roll, unflatten, moveaxis, rot90, unfold.

#include <cstdint>  // std::int64_t
#include <utility>  // std::pair
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/trace/core/axis.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

/// Shifts elements cyclically by `shift` places along `axis`.
///
/// Gradient rolled back
Tensor roll(Operand x, std::int64_t shift, int axis);
/// Along several axes, each by its own shift.
///
/// Throws   ValueError unless there are as many shifts as axes
Tensor roll(Operand x, std::vector<std::int64_t> shifts, std::vector<int> axes);
/// Rolls the flattened tensor and restores the shape of `x`.
Tensor roll(Operand x, std::int64_t shift);

/// Splits `axis` into axes of the given `sizes`; one may be -1.
///
/// Throws   ShapeError unless their product is the extent of the axis
Tensor unflatten(Operand x, int axis, Shape sizes);
/// flatten(x, 0, -1).
Tensor ravel(Operand x);

/// Moves axis `source` to position `destination`; the others keep their order.
Tensor moveaxis(Operand x, int source, int destination);
/// Moves several axes, each to its position.
///
/// Throws   ValueError unless both lists are equally long and name each axis once
Tensor moveaxis(Operand x, std::vector<int> sources, std::vector<int> destinations);
/// torch's name for moveaxis.
Tensor movedim(Operand x, int source, int destination);
Tensor movedim(Operand x, std::vector<int> sources, std::vector<int> destinations);
/// NumPy's name for transpose.
Tensor swapaxes(Operand x, int a, int b);
/// Rotates by 90 degrees, `times` times, from the first of the axes towards the second.
Tensor rot90(Operand x, std::int64_t times = 1, std::pair<int, int> axes = {0, 1});

/// All windows of `size` elements along `axis`, `step` apart, along a new last axis.
///
/// Shapes   `axis` becomes (extent - size) / step + 1, rounded down
/// Throws   ValueError if size < 0 or step < 1; ShapeError if not even one window fits
/// Gradient g added up where windows overlap
Tensor unfold(Operand x, int axis, std::int64_t size, std::int64_t step);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/ops/movement/rearrange.ipp>
#endif
