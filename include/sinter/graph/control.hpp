#pragma once
// How nodes of control flow lay out their inputs, their results and the inputs of their bodies.

#include <cstddef>  // std::size_t
#include <span>     // std::span
#include <string>   // std::string

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// The inputs of a scan are `carries`, `xs` and what is the same in each step; its results are the
/// last carries and what the steps gave, stacked.
struct ScanLayout {
  std::size_t carries = 0, xs = 0;
  bool reverse = false;
};

ScanLayout scan_layout(const Node& node);

/// The number of steps of a scan: the extent of axis 0 of its xs.
Extent scan_length(const Node& node, std::span<const TensorType> types);

/// How many of the inputs of a while_loop are its state.
std::size_t state_count(const Node& node);

/// The type of one step: of `type` without axis 0.
TensorType step_type(const TensorType& type);
/// The type of `length` steps of `type` along a new axis 0.
TensorType stacked_type(const TensorType& type, Extent length);

/// What is wrong with a node of control flow whose inputs have `types`; empty if nothing is.
std::string control_mistake(const Node& node, std::span<const TensorType> types);

/// The types of the results of a node of control flow, which has no mistake.
SmallVector<TensorType, 1> control_results(const Node& node, std::span<const TensorType> types);

/// `x`, of type `type`, in a body, but that no gradient flows through it: a cast to the dtype that
/// it has, marked with an attribute.
Node detached(Value x, const TensorType& type);
bool is_detached(const Node& node);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/graph/control.ipp>
#endif
