#pragma once

#include <sinter/schedule/gpu_target.hpp>
#include <sinter/schedule/rewrite/column_reductions.hpp>
#include <sinter/schedule/rewrite/split_k.hpp>
#include <sinter/schedule/rewrite/split_reductions.hpp>
#include <sinter/schedule/tile/fuse_row_tiles.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

SINTER_INLINE Target gpu_target(std::size_t argument_bytes) {
  Target result;
  result.rewrites = {rfactor_column_reductions, split_reductions_for_gpu, split_k};
  result.threads_share_rows = true;
  result.most_partial_bytes = most_column_partial_bytes;
  result.rematerializes = true;
  result.fuse_streaming = fuse_streaming_kernels;
  result.fuses_unknown_loops = true;
  result.sparse_updates = true;
  result.batching = LaunchBatching::equal;
  result.argument_bytes = argument_bytes;
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
