#pragma once
// Host functions that traced functions call: called from around those, on every replay.

#include <span>    // std::span
#include <vector>  // std::vector

#include <sinter/config.hpp>
#include <sinter/trace/body.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// What the host functions of `body` read, one after the other: further results of it.
std::vector<Tensor> host_operands(const Body& body);

/// Calls the host functions of `body`, which is traced, once, where it is given `operands`.
void call_host_functions(const Body& body, std::span<const Tensor> operands, Where where);

/// Calls the host functions of `body` for each of the `count` times that it runs, in order. The
/// last of `results` are the host_operands() of all runs, stacked along axis 0.
void call_host_functions_of_each(const Body& body, std::span<const Tensor> results, Extent count,
                                 Where where);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/body_effects.ipp>
#endif
