#pragma once

#include <sinter/schedule/host_target.hpp>
#include <sinter/schedule/rewrite/chunked_reductions.hpp>
#include <sinter/schedule/rewrite/split_reductions.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

SINTER_INLINE Target host_target() {
  Target result;
  result.rewrites = {rfactor_into_chunks, split_untiled_reductions};
  result.fuses_segments = true;
  result.scans_take_readers = true;
  // A transcendental function takes longer than a store and a load in the L2 cache, which also
  // holds the current input row and the next one.
  result.most_expensive_scratch_bytes = std::int64_t{256} << 10;
  result.rematerializes = true;
  result.sparse_updates = true;
  result.finalizers = true;
  result.batching = LaunchBatching::mixed;
  result.non_temporal_stores = true;
  result.reuses_outputs = true;
  result.writes_over_operands = true;
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
