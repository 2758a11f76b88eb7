#pragma once
// Tensors made larger by repeating what is in them.

#include <optional>     // std::optional
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/ops/movement/concatenate.hpp>

namespace sinter::inline SINTER_ABI {

/// The whole of `x` repeated `counts[i]` times along axis i of the result, as torch.Tensor.repeat.
///
/// Shapes   as many counts as axes, or more: axes in front; each extent times its count
/// Throws   ShapeError if there are fewer counts than axes, or one is negative
/// Gradient g summed over the repetitions
Tensor repeat(Operand x, Shape counts);
/// The same with counts for the last axes, as numpy.tile.
Tensor tile(Operand x, Shape counts);
/// Each element `count` times, one after the other, along `axis`; of a vector of all elements if no
/// axis is named.
///
/// Throws   ValueError if the count is negative
Tensor repeat_interleave(Operand x, Extent count, std::optional<int> axis = {});

/// expand by its name in NumPy.
Tensor broadcast_to(Operand x, Shape shape);
/// Each of them in the shape in which all of them meet.
///
/// Throws   ShapeError if they do not broadcast
std::vector<Tensor> broadcast_tensors(detail::OperandList tensors);
/// Tensor i has element j of vector i wherever index i is j. Under "xy" the first two axes are
/// exchanged.
///
/// Throws   ShapeError for a tensor that is no vector; ValueError for another indexing
std::vector<Tensor> meshgrid(detail::OperandList vectors, std::string_view indexing = "ij");

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/ops/movement/repeat.ipp>
#endif
