#pragma once
// Calls of a graph that has a program of its own: their gradients and batches are such calls again.

#include <vector>  // std::vector

#include <sinter/autodiff/backward.hpp>
#include <sinter/autodiff/batching.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff {

/// The gradients of all inputs of the call that are wanted, by input: results of one call, which is
/// given those operands and results of the first that it reads, and the gradients that reached it.
/// It has a gradient itself, of any order.
std::vector<Value> callee_gradients(const Backward& at);

/// The results of the call for all samples.
std::vector<Batched> callee_batch(const Batching& at);

}  // namespace sinter::inline SINTER_ABI::detail::autodiff

#ifdef SINTER_DEFINITIONS
#include <sinter/autodiff/callee_rules.ipp>
#endif
