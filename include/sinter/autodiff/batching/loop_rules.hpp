#pragma once
// The batching rules of loops.

#include <sinter/autodiff/batching/batching.hpp>
#include <sinter/base/container/vector.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff::batch_of {

/// If samples take different numbers of steps, runs as many as the longest; samples that are done
/// keep their state.
Vector<Batched> while_loop(const Batching& at);
Vector<Batched> scan(const Batching& at);

}  // namespace sinter::inline SINTER_ABI::detail::autodiff::batch_of

#ifdef SINTER_DEFINITIONS
#include <sinter/autodiff/batching/loop_rules.ipp>
#endif
