#pragma once

#include <algorithm>  // std::min

#include <sinter/schedule/host_target.hpp>
#include <sinter/schedule/rewrite/chunked_reductions.hpp>
#include <sinter/schedule/rewrite/split_reductions.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// No threshold is more than its part of the caches: that of the default Target.
SINTER_INLINE void fit(CppLimits& limits, const Caches& caches) {
  const auto fit_to = [](std::int64_t& bytes, std::int64_t cache) {
    bytes = std::min(bytes, cache);
  };
  fit_to(limits.most_prefetched_bytes, caches.l2);
  fit_to(limits.few_sums, caches.l1 / 8);  // of four bytes: half of the cache
  fit_to(limits.panel_bytes, caches.l2);
  fit_to(limits.scratch_bytes, caches.l2 / 4 * 3);
  fit_to(limits.most_column_bytes, caches.l2 / 8);
  fit_to(limits.whole_panel_bytes, caches.last_level / 8);
  fit_to(limits.row_block_bytes, caches.last_level / 4);
  fit_to(limits.most_kept_panel_bytes, caches.last_level / 2);
}

}  // namespace detail

SINTER_INLINE Target host_target(VectorUnit vectors, Caches caches) {
  Target result{.name = "host", .caches = caches, .vectors = vectors};
  detail::fit(result.cpp, caches);
  result.rewrites = {rfactor_into_chunks, split_untiled_reductions};
  result.fuses_segments = true;
  result.scans_take_readers = true;
  result.loops.most_window_rows = 8;
  result.row_tiles.has_window_strips = true;
  result.scratch.most_expensive = std::int64_t{256} << 10;
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
