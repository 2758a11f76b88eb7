#pragma once

#include <algorithm>  // std::min

#include <sinter/schedule/gpu_target.hpp>
#include <sinter/schedule/rewrite/column_reductions.hpp>
#include <sinter/schedule/rewrite/split_k.hpp>
#include <sinter/schedule/rewrite/split_reductions.hpp>
#include <sinter/schedule/tile/fuse_row_tiles.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

SINTER_INLINE Target gpu_target(Multiprocessors gpu) {
  Target result{.name = "gpu", .multiprocessors = gpu};
  result.rewrites = {rfactor_column_reductions, split_reductions_into_blocks, split_k};
  result.threads_share_rows = true;
  // Shared memory that all GPUs since sm_80 have.
  result.most_partial_bytes = std::min<std::int64_t>(96 << 10, gpu.shared_bytes);
  result.rematerializes = true;
  // What a streaming kernel may compute is rematerialized whatever its size.
  result.rematerialization.fewest_elements = 1;
  result.rematerialization.most_bytes_kept = 1;
  result.rematerialization.growth = 1;
  result.rematerialization.gathers = true;
  result.rematerialization.streams = true;
  result.fuse_streaming = fuse_streaming_kernels;
  result.fuses_unknown_loops = true;
  result.sparse_updates = true;
  result.batching = LaunchBatching::equal;
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
