#pragma once
// The machine that a plan is for: what it can do, and how much fits where. host_target() and
// gpu_target() fill it in; the rest of this stage asks nothing else about the machine.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::int64_t, std::uint8_t

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/symbol/extent/interval.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

struct LoweredKernel;

/// A graph that computes the same in another way; nothing if nothing changes. Inputs and outputs
/// keep their positions.
using Rewrite = Optional<Graph> (*)(const Graph& graph);

/// Makes one kernel of several: see tile/fuse_row_tiles.hpp.
using RowTileFusion = Vector<LoweredKernel> (*)(const Graph& graph, Vector<LoweredKernel> kernels,
                                                const Vector<LoweredKernel>& fused_forms);

/// Which kernels may share a launch.
enum class LaunchBatching : std::uint8_t {
  none,
  mixed,  ///< Any: the threads share the work of different kernels.
  equal,  ///< Kernels of one text, whose arguments are in a table.
};

/// The default is a machine with one thread, which runs each kernel alone.
struct Target {
  Vector<Rewrite> rewrites{};  ///< In order. They reassociate sums.

  /// Threads share each row, so that each of them reduces columns of its own. Else each thread has
  /// a chunk of the rows.
  bool threads_share_rows = false;
  std::int64_t most_partial_bytes = unbounded;  ///< Of the partial results of a group, per chunk.
  bool fuses_segments = false;                  ///< See fuse/segmented_reduction.hpp.
  bool scans_take_readers = false;              ///< Readers of a scan share its kernel.
  /// Bytes of scratch memory of a thread for values of its row: a part of the L1 cache.
  std::int64_t most_scratch_bytes = std::int64_t{32} << 10;
  /// The same for values that are expensive to recompute.
  std::int64_t most_expensive_scratch_bytes = std::int64_t{32} << 10;

  /// Large values are rematerialized for late readers.
  bool rematerializes = false;
  /// Fuses kernels that have a streaming form; null if row tiles stay in the caches instead.
  RowTileFusion fuse_streaming = nullptr;

  /// Grid loops of unknown size are fused before they are split into chunks. That puts a division
  /// into every index.
  bool fuses_unknown_loops = false;

  bool sparse_updates = false;  ///< See Plan::sparse_updates.
  bool finalizers = false;      ///< The thread that ends last can run further kernels.
  LaunchBatching batching = LaunchBatching::none;
  /// The most bytes of arguments of a launch, with LaunchBatching::equal.
  std::size_t argument_bytes = 4096;
  bool non_temporal_stores = false;  ///< For outputs that no kernel reads.

  bool reuses_outputs = false;        ///< Temporaries use the memory of outputs that begin later.
  bool writes_over_operands = false;  ///< Results use the memory of operands that end.

  bool streams() const { return fuse_streaming != nullptr; }
};

}  // namespace sinter::inline SINTER_ABI::detail::schedule
