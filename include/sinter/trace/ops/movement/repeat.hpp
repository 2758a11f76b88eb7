#pragma once
// Repetition and broadcasting: repeat, tile, broadcast_to, meshgrid.

#include <optional>     // std::optional
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/ops/movement/concatenate.hpp>

namespace sinter::inline SINTER_ABI {

/// Repeats `x` as a whole `counts[i]` times along axis i of the result, like torch.Tensor.repeat.
///
/// Shapes   at least as many counts as axes, more add leading axes; each extent times its count
/// Throws   ShapeError if there are fewer counts than axes, or one is negative
/// Gradient g summed over the repetitions
Tensor repeat(Operand x, Shape counts);
/// The same with counts for the last axes, like numpy.tile.
Tensor tile(Operand x, Shape counts);
/// Repeats each element `count` times along `axis`; without an axis, in the flattened tensor.
///
/// Throws   ValueError if the count is negative
Tensor repeat_interleave(Operand x, Extent count, std::optional<int> axis = {});

/// NumPy's name for expand.
Tensor broadcast_to(Operand x, Shape shape);
/// Broadcasts all tensors to a common shape.
///
/// Throws   ShapeError if they do not broadcast
std::vector<Tensor> broadcast_tensors(detail::OperandList tensors);
/// Coordinate grids: tensor i has element j of vector i wherever index i is j. With "xy" the first
/// two axes are exchanged.
///
/// Throws   ShapeError unless each tensor is a vector; ValueError for another indexing
std::vector<Tensor> meshgrid(detail::OperandList vectors, std::string_view indexing = "ij");

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/ops/movement/repeat.ipp>
#endif
