#pragma once
// Delta debugging: reduces a problem to a small one that still fails.

#include <string>  // std::string

#include <sinter/base/container/function_ref.hpp>
#include <sinter/config.hpp>
#include <sinter/debug/fault/problem.hpp>
#include <sinter/debug/fault/trial.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

/// Whether a smaller problem still fails.
using StillFails = FunctionRef<bool(const Problem&)>;

/// The smallest sets of nodes, as far as single removals tell, that still fails. What they read of
/// removed nodes becomes inputs.
Problem reduced_graph(Problem problem, StillFails fails);
/// Sizes as numbers, and each as small as it may be.
Problem reduced_shapes(Problem problem, StillFails fails);
/// Elements that are simple numbers.
Problem reduced_data(Problem problem, StillFails fails);

/// The problem, without symbols, with sizes of 8 instead of the largest ones until its inputs have
/// few elements, as far as its operations allow.
Problem smaller(Problem problem);

/// All three.
Problem reduced(Problem problem, StillFails fails);

}  // namespace sinter::inline SINTER_ABI::detail::debug

#ifdef SINTER_DEFINITIONS
#include <sinter/debug/fault/reduce.ipp>
#endif
