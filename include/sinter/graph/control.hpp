#pragma once
// Layout of inputs, results and body inputs of control-flow nodes.

#include <cstddef>  // std::size_t
#include <string>   // std::string

#include <sinter/base/container/span.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// The inputs of a scan are `carries`, `xs` and loop invariants; its results are the last carries
/// and the stacked outputs.
struct ScanLayout {
  std::size_t carries = 0, xs = 0;
  bool reverse = false;
};

ScanLayout scan_layout(const Node& node);

/// The number of steps of a scan: the extent of axis 0 of its xs.
Extent scan_length(const Node& node, Span<const TensorType> types);

/// The number of inputs of a while_loop that are its state.
std::size_t state_count(const Node& node);

/// The type of one step: of `type` without axis 0.
TensorType step_type(const TensorType& type);
/// The type of `length` steps of `type` along a new axis 0.
TensorType stacked_type(const TensorType& type, Extent length);

/// The error in a control-flow node whose inputs have `types`; empty if it is valid.
std::string control_mistake(const Node& node, Span<const TensorType> types);

/// The result types of a valid control-flow node.
SmallVector<TensorType, 1> control_results(const Node& node, Span<const TensorType> types);

/// `x` detached in a body: a cast to its own dtype, marked with an attribute that stops gradients.
Node detached(Value x, const TensorType& type);
bool is_detached(const Node& node);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/graph/control.ipp>
#endif
