#pragma once
// The memory that a call needs, and plans that stay within CompileOptions::memory_bytes.

#include <cstdint>  // std::int64_t

#include <sinter/base/container/span.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// The bytes of the inputs, intermediate values and results of a call. Results that update an input
/// in place count once.
Extent bytes_needed(const schedule::Plan& plan, Span<const schedule::Update> updates);

/// The plan of `graph`. If it needs more than `most_bytes`, unless these are 0, one that recomputes
/// more, if that needs less. A symbol counts as 1024 or its maximum.
schedule::Plan plan_within(std::int64_t most_bytes, const Graph& graph,
                           const schedule::Options& options);

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/lower/memory_budget.ipp>
#endif
