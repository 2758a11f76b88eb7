#pragma once
// Calls of host functions, which every replay repeats in order. Calls in a traced body are moved
// outside of it.

#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/config.hpp>
#include <sinter/trace/subgraph/body.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// Notes a call of `function` in the order of effects: in the body being traced, or else in the
/// recording; outside of both it is called at once.
///
/// Throws GraphBreakError in the name of `op` in a branch or a while_loop.
void add_effect(SharedPtr<const HostFunction> function, std::vector<Tensor> operands,
                bool has_captures, std::string_view op, Where where);

/// Evaluates its operands: with it, a recording gives the results of a node that nobody reads.
SharedPtr<const HostFunction> evaluates_operands();

/// Throws GraphBreakError for `op`, called where no graph break is allowed.
void throw_unexpected_break(std::string_view op, Where where);

/// The operands of the host functions of `body`, concatenated: extra results of it.
std::vector<Tensor> host_operands(const Body& body);

/// Calls the host functions of the traced `body` once, for the arguments `operands`.
void call_host_functions(const Body& body, Span<const Tensor> operands, Where where);

/// Calls the host functions of `body` for each of its `count` runs, in order. The last of `results`
/// are the host_operands() of all runs, stacked along axis 0.
void call_host_functions_of_each(const Body& body, Span<const Tensor> results, Extent count,
                                 Where where);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/transform/effects.ipp>
#endif
