#pragma once
// Data parallel training: reduces the gradients of all ranks.

#include <sinter/config.hpp>
#include <sinter/dist/collective/operations.hpp>
#include <sinter/trace/transform/gradients.hpp>

namespace sinter::inline SINTER_ABI::dist {

/// Replaces each gradient by its reduction over all ranks. Call it between value_and_grad and
/// optimizer.step: after the sum of micro-batches, before clip_grad_norm. If the model is sharded
/// with Shard::gradients or Shard::parameters, each rank keeps its part.
///
/// Throws as all_reduce; ValueError if the model is sharded among another group
void all_reduce(Gradients& gradients, Reduce reduce = Reduce::mean, Group group = {},
                Where where = Where::current());

}  // namespace sinter::inline SINTER_ABI::dist

#ifdef SINTER_DEFINITIONS
#include <sinter/dist/parallel/gradients.ipp>
#endif
