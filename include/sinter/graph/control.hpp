#pragma once
// Layout of inputs, results and body inputs of control-flow nodes, and of custom nodes.

#include <cstddef>  // std::size_t
#include <string>   // std::string

#include <sinter/base/container/span.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/custom/custom_code.hpp>
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

/// The mismatch between the inputs of body number `position` of `node` and `given`; empty if none.
std::string input_mistake(const Node& node, std::size_t position, Span<const TensorType> given);
/// The mismatch between the first outputs of `body` and `expected`; empty if none.
std::string output_mistake(const Graph& body, Span<const TensorType> expected);

/// The error in a control-flow node whose inputs have `types`; empty if it is valid.
std::string control_mistake(const Node& node, Span<const TensorType> types);

/// The result types of a valid control-flow node.
SmallVector<TensorType, 1> control_results(const Node& node, Span<const TensorType> types);

// A custom node has the attributes "code" and "operands": the number of inputs that its kernels
// get. Further inputs are what the bodies capture. Body 0 is the operation written in others; it
// has no outputs if there is none. Body 1, if there is one, gives gradients, as that of a call.

const SharedPtr<const CustomCode>& shared_custom_code(const Node& node);
inline const CustomCode& custom_code(const Node& node) { return *shared_custom_code(node); }
std::size_t custom_operands(const Node& node);
/// Body 0 of a custom node; null if it has no reference.
const Graph* reference_of(const Node& node);

/// True if `node` runs although nobody reads its results: a custom operation with side effects, or
/// control flow around one.
bool has_side_effects(const Node& node);

/// The error in a custom node whose inputs have `types`; empty if it is valid.
std::string custom_mistake(const Node& node, Span<const TensorType> types);

/// `x` detached in a body: a cast to its own dtype, marked with an attribute that stops gradients.
Node detached(Value x, const TensorType& type);
bool is_detached(const Node& node);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/graph/control.ipp>
#endif
