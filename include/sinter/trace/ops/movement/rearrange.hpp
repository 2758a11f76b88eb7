#pragma once
// Elements in another order, or seen through windows: roll, moveaxis, unfold and their like.

#include <cstdint>  // std::int64_t
#include <utility>  // std::pair
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/trace/core/axis.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

/// Elements moved `shift` places along `axis`; those that leave at one end come in at the other.
///
/// Gradient rolled back
Tensor roll(Operand x, std::int64_t shift, int axis);
/// Along several axes, each by its own shift.
///
/// Throws   ValueError unless there are as many shifts as axes
Tensor roll(Operand x, std::vector<std::int64_t> shifts, std::vector<int> axes);
/// The vector of all elements rolled, in the shape of `x`.
Tensor roll(Operand x, std::int64_t shift);

/// Axis `axis` as several, whose sizes are those of `sizes`; one may be -1.
///
/// Throws   ShapeError unless their product is the extent of the axis
Tensor unflatten(Operand x, int axis, Shape sizes);
/// One axis for all of them: flatten(x, 0, -1).
Tensor ravel(Operand x);

/// Axis `source` at position `destination`; the others stay in order.
Tensor moveaxis(Operand x, int source, int destination);
/// Several axes, each to its position.
///
/// Throws   ValueError unless there are as many, each named once
Tensor moveaxis(Operand x, std::vector<int> sources, std::vector<int> destinations);
/// moveaxis by its name in torch.
Tensor movedim(Operand x, int source, int destination);
Tensor movedim(Operand x, std::vector<int> sources, std::vector<int> destinations);
/// transpose by its name in NumPy.
Tensor swapaxes(Operand x, int a, int b);
/// Turned by 90 degrees, `times` times, from the first of the axes towards the second.
Tensor rot90(Operand x, std::int64_t times = 1, std::pair<int, int> axes = {0, 1});

/// All windows of `size` elements along `axis`, each `step` after the one before; they have a new
/// last axis.
///
/// Shapes   `axis` becomes (extent - size) / step + 1, rounded down
/// Throws   ValueError if size < 0 or step < 1; ShapeError if not even one window fits
/// Gradient g added up where windows overlap
Tensor unfold(Operand x, int axis, std::int64_t size, std::int64_t step);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/ops/movement/rearrange.ipp>
#endif
