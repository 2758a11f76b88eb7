#pragma once
// Calls of host functions, which every replay repeats in order. Calls in a traced body are moved
// outside of it; those in a branch or while_loop are made where it runs.

#include <cstddef>           // std::size_t
#include <initializer_list>  // std::initializer_list
#include <string_view>       // std::string_view
#include <vector>            // std::vector

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/custom/raw_tensor.hpp>
#include <sinter/trace/subgraph/body.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// Notes a call of `function` in the order of effects: in the body being traced, or else in the
/// recording; outside of both it is called at once. In a branch or while_loop it is a node that
/// calls the function where it runs.
///
/// Throws GraphBreakError in the name of `op` in a reference, a gradient, and a branch in a batch.
void add_effect(SharedPtr<const HostFunction> function, std::vector<Tensor> operands,
                bool has_captures, std::string_view op, Where where);

/// Computes `result`, a value with side effects, although nothing may read it: with the body being
/// traced, or else with the recording.
void keep_side_effects(const Tensor& result, bool has_captures, std::string_view op, Where where);
/// The same for a result of control flow, if one of its `bodies` has side effects.
void keep_side_effects(const Tensor& result, std::initializer_list<const Body*> bodies,
                       Where where);

/// A copy of the elements.
Tensor copy_of(const RawTensor& x);

/// The identity of a function of the type of `tag` with these bytes.
Hash identity_of_call(const void* tag, const void* bytes, std::size_t size);
/// An identity that no other function has.
Hash new_identity();

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
