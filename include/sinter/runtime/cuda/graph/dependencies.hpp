#pragma once
// Dependencies between the launches of a plan: the edges of its graph.

#include <cstdint>  // std::int32_t

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// For each launch of `plan`, the earlier launches that it depends on (read after write, write
/// after read, write after write), without transitive ones.
///
/// Arena buffers that overlap alias each other, as do an input and the output that updates it.
/// What custom operations enqueue runs in the order of the plan, which is that of all ranks.
/// Buffers whose offsets depend on symbols alias unless they provably do not overlap, so that the
/// dependencies hold for all sizes.
Vector<Vector<std::int32_t>> launch_dependencies(const schedule::Plan& plan,
                                                 Span<const schedule::Update> updates);

/// The same for a body of a plan, which uses the kernels of that plan.
Vector<Vector<std::int32_t>> launch_dependencies(const schedule::Plan& body,
                                                 Span<const schedule::Update> updates,
                                                 Span<const schedule::Kernel> kernels);

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/cuda/graph/dependencies.ipp>
#endif
