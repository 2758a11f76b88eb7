#pragma once
// Gradients of calls of a graph that has a program of its own: they are such calls again.

#include <sinter/autodiff/gradient/backward.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff {

namespace detail {

/// True if `value` is the constant 0: nothing flowed to it.
bool is_zero(const Graph& graph, Value value);

}  // namespace detail

/// The gradients of all inputs of the call that are wanted, by input: results of one call, which is
/// given those operands and results of the first that it reads, and the gradients that reached it.
/// It has a gradient itself, of any order.
Vector<Value> callee_gradients(const Backward& at);

}  // namespace sinter::inline SINTER_ABI::detail::autodiff

#ifdef SINTER_DEFINITIONS
#include <sinter/autodiff/gradient/callee_rules.ipp>
#endif
