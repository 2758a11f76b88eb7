#pragma once
// Type inference: the result types of a node, one rule per operation.

#include <array>  // std::array

#include <sinter/base/container/span.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// The types of the results of `node`, whose inputs have `types`. Operations whose result is named
/// by the node (constant, iota, cast, reshape, expand, ...) keep it, checked.
///
/// Throws InternalError if the inputs do not fit the operation: public functions have validated
/// them before.
SmallVector<TensorType, 1> infer(const Node& node, Span<const TensorType> types);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/graph/infer.ipp>
#endif
