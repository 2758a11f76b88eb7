#pragma once
// Batching: appends what a graph, written for one sample, computes for each of many.

#include <sinter/autodiff/batching/batching.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff {

/// The outputs of `sample` for `count` samples, as values of `builder`, with which all operations
/// of `sample` are appended once, for all samples together. `operands` stand for the inputs of
/// `sample`: batched ones have one more axis, of extent `count`, in front. Outputs are batched if
/// they depend on a batched operand or on random numbers, which each sample draws for itself.
///
/// All that is appended has batching and gradient rules: batches can be differentiated, and
/// gradients batched. Samples that are not `active`, which is boolean[count], do not fault.
///
/// Throws ShapeError, with the line of the node, where the batch has more than max_rank dimensions.
Vector<Batched> batch(Builder& builder, const Graph& sample, Span<const Batched> operands,
                      Extent count, Optional<Value> active = {});

}  // namespace sinter::inline SINTER_ABI::detail::autodiff

#ifdef SINTER_DEFINITIONS
#include <sinter/autodiff/batching/batch.ipp>
#endif
