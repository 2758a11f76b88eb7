#pragma once
// The machine that a plan and its kernels are for: what it has, how work is mapped to it, and every
// threshold of these policies. See docs/targets.md.
//
// Each number has its unit and its source: the machine, an argument that leads to it, or, as
// "measured", a row of docs/performance_notes.md. "Chosen" is a round number without either. What
// concerns GPUs is predicted for an H200, and not measured.

#include <array>        // std::array
#include <cstddef>      // std::size_t
#include <cstdint>      // std::int64_t, std::uint8_t
#include <string_view>  // std::string_view

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/symbol/extent/interval.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

struct LoweredKernel;
class Refusals;
struct Target;

/// A graph that computes the same in another way; nothing if nothing changes. Inputs and outputs
/// keep their positions.
using Rewrite = Optional<Graph> (*)(const Graph& graph, const Target& target);

/// Makes one kernel of several: see tile/fuse_row_tiles.hpp.
using RowTileFusion = Vector<LoweredKernel> (*)(const Graph& graph, Vector<LoweredKernel> kernels,
                                                const Vector<LoweredKernel>& fused_forms,
                                                const Target& target, Refusals* refusals);

/// Which kernels may share a launch.
enum class LaunchBatching : std::uint8_t {
  none,
  mixed,  ///< Any: the threads share the work of different kernels.
  equal,  ///< Kernels of one text, whose arguments are in a table.
};

// What the machine has.

/// The caches of a host, in bytes: the C library or sysfs, or the name of the target. Plans do not
/// depend on them, so that a program has the same kernels on all hosts; the blocks of products do.
struct Caches {
  std::int64_t l1 = std::int64_t{32} << 10;          ///< Of a core, for data.
  std::int64_t l1_way = 4096;                        ///< Addresses this far apart share a set.
  std::int64_t l2 = std::int64_t{512} << 10;         ///< Of a core.
  std::int64_t last_level = std::int64_t{32} << 20;  ///< Shared by cores.
};

/// The vector unit of a host: cpuid, or the name of the target.
struct VectorUnit {
  int bits = 512;  ///< 512, 256 or 128; 0 for scalar code.
  /// Whether there are bf16 dot products (AVX512-BF16). Texts that use them run on any machine.
  bool has_bf16_dot = false;
  bool has_amx = false;  ///< AMX tiles of 16 x 16 sums of bf16 products; needs has_bf16_dot.
};

/// A GPU: attributes of the driver, or the name of the target.
struct Multiprocessors {
  int count = 132;                         ///< An H200.
  int registers = 65536;                   ///< 32-bit registers, of a multiprocessor.
  int thread_registers = 255;              ///< The most of a thread.
  int block_threads = 1024;                ///< The most of a block.
  std::int64_t shared_bytes = 227 * 1024;  ///< The most of a block, on request.
  std::size_t argument_bytes = 4096;       ///< The most of a launch.
  bool has_tensor_cores = true;            ///< mma.sync of 16-bit and TF32 numbers.
};

// Policies of planning.

/// Whether threads can share the points of a grid, or one thread computes them.
struct ParallelLimits {
  std::int64_t fewest_points = 16;  ///< Points that threads can share: chosen.
  /// Fewer points are enough if each has at most `longest_short_row` elements: they are in the L2
  /// cache, so that each row is read from memory once. Measured: group_norm, 3 -> 1 kernels.
  std::int64_t fewest_short_rows = 4, longest_short_row = 1 << 17;
  /// Elements that one thread computes before a second one has started.
  std::int64_t largest_serial = 65536;
  /// Threads wait for work on one thread that is at most this fraction (1/16) of the work of all.
  /// Measured: cross_entropy with its gradient.
  std::int64_t start_share = 16;
};

/// What readers recompute instead of loading it. In loads and operations per element.
struct InliningLimits {
  /// Up to this cost, recomputing is cheaper than a store and a load.
  std::int32_t cheap_loads = 4, cheap_operations = 8;
  /// The most operations of a cheap value without loads, made of positions alone: chosen. A shared
  /// subexpression counts once for each use.
  std::int32_t cheap_without_loads = 64;
  /// A concatenation of more operands is written in place instead of selecting among them: chosen.
  std::int32_t most_chosen = 4;
  /// The most operations of an expression that is inlined into its only reader: chosen.
  std::int32_t largest_expression = 64;
  /// Recomputing a value from one load with at most this many operations, one of them expensive,
  /// costs less than a store and a load. Measured: gelu, 124.2 -> 112.7 MiB at equal time.
  std::int32_t most_rematerialized_operations = 12;
  /// A row value of more operations is kept for later loops over the row: chosen.
  std::int32_t most_recomputed_operations = 8;
  /// Operations that are recomputed for a gathered element: few compared with a row. Chosen.
  int most_for_gather = 64;
};

/// Scratch memory of a thread for values of its row, in bytes.
struct ScratchLimits {
  std::int64_t most = std::int64_t{32} << 10;  ///< A part of the L1 cache.
  /// For values that are expensive to recompute. host_target() has 256 KiB: a transcendental
  /// function takes longer than a store and a load in the L2 cache, which also holds the current
  /// input row and the next one. Measured: cross_entropy of rows of 32000, 42.1 -> 36.9 ms.
  std::int64_t most_expensive = std::int64_t{32} << 10;
};

/// Segmented-reduction fusion: see fuse/segmented_reduction.hpp.
struct SegmentLimits {
  std::int64_t most_results = 4096;  ///< So that the results take little memory: chosen.
  /// Elements of a segment, which has a loop of its own, unless there are at most
  /// `most_short_elements` in all: chosen.
  std::int64_t fewest_elements = 64, most_short_elements = 65536;
};

/// Reductions over the first axis in chunks: see rewrite/chunked_reductions.hpp.
struct ChunkLimits {
  /// Enough chunks for the threads of any host, and few enough to combine quickly: chosen.
  std::int64_t fewest = 2, most = 64;
  std::int64_t fewest_rows = 8;  ///< With fewer, combining costs more than computing.
  /// Results of a chunk: 128 KiB of f32 stay in the L2 cache.
  std::int64_t most_results = 32768;
  /// With fewer rows, partial results are a large part of the data. That matters unless the operand
  /// has at most `most_small_elements`, or each result `fewest_elements_of_result`. Chosen.
  std::int64_t fewest_rows_split = 4, most_small_elements = 4096, fewest_elements_of_result = 64;
  /// One thread has reduced fewer elements to a scalar before a second one has started.
  std::int64_t fewest_elements_of_scalar = 65536;
  std::int64_t most_elements = 1 << 18;  ///< Of a chunk, where there are enough to share: chosen.
  /// Elements of a scalar reduction that one thread computes first: see rewrite/serial_totals.hpp.
  /// Measured: the loss and its gradient in one kernel.
  std::int64_t most_serial_elements = 1 << 18;
};

/// Large reductions in splits of one axis: see rewrite/split_reductions.hpp.
struct SplitLimits {
  /// A reduction of fewer elements ends before a second thread has started.
  std::int64_t fewest_elements = 65536;
  std::int64_t splits = 64;  ///< Of an axis on a host: as for chunks.
  /// The thread blocks that keep a GPU busy when they reduce rows, and columns; the columns of a
  /// block; the fewest elements that are worth a block; and the splits of an axis of unknown
  /// length. Chosen.
  std::int64_t blocks_of_rows = 512, blocks_of_columns = 64, columns_of_block = 8;
  std::int64_t elements_of_block = 8192, splits_of_unknown = 256;
};

/// Split-K: see rewrite/split_k.hpp.
struct SplitKLimits {
  /// The edge of the output tile of a thread block: larger tiles reuse more operands, but leave
  /// most of the GPU idle. Products of few rows have narrow tiles.
  std::int64_t tile_edge = 64, narrow_tile_edge = 8;
  std::int64_t blocks_per_multiprocessor = 2;  ///< Thread blocks that keep it busy.
  /// A second kernel starts and sums the splits in about 3 us. In that time a multiprocessor of an
  /// H200 does 1024 steps of the depth for 16-bit elements, and 256 for others.
  std::int64_t fewest_half_steps = 1024, fewest_steps = 256;
  std::int64_t fewest_splits = 4;  ///< Fewer do not pay.
};

/// Column reductions fused with rows on a GPU: see rewrite/column_reductions.hpp.
struct ColumnLimits {
  /// Elements of a row. Shorter rows, one per warp, do not keep the memory busy; longer rows leave
  /// no registers for the partial results.
  std::int64_t fewest = 512, most = 8192;
  /// The fewest rows that keep a GPU busy in chunks of several rows, and the rows of a chunk.
  std::int64_t fewest_rows = 1024, rows_of_chunk = 4;
  /// The elements in flight that keep the memory busy, where each chunk processes a row at a time,
  /// and the chunks. For an H200.
  std::int64_t elements_in_flight = std::int64_t{1} << 20, fewest_chunks = 512, most_chunks = 2048;
};

/// Which values are worth rematerializing: see rewrite/rematerialize.hpp.
struct RematerializeRules {
  /// A product that contracts more is not recomputed. Up to this extent, that costs as much as a
  /// store and some loads of its result. Measured: 64 terms cost a store and two loads.
  std::int64_t most_terms = 128;
  std::int64_t fewest_elements = 1 << 18;  ///< Smaller values are cheap to keep. Chosen.
  /// Values of at least this size are large: the user may not have the memory to keep them.
  /// Measured: recomputing attention scores at sequence length 2048, head width 64, takes 296 ms
  /// instead of 366; at length 512 it does not pay.
  std::int64_t most_bytes_kept = std::int64_t{32} << 20;
  /// A product is recomputed transposed if it is this many times as large as each operand. Chosen.
  std::int64_t growth = 4;
  /// Whether gathers from inputs are as free to repeat as the inputs themselves.
  bool gathers = false;
  /// Rematerialize only what a streaming kernel may compute: rows of a product that are reduced
  /// before another product reads them.
  bool streams = false;
  /// An operand is small, as one value per row is, if the result is this many times as large.
  /// Chosen.
  std::int64_t least_growth = 4;
  /// A reader is late if it is this many reductions and products after the early readers; and the
  /// same for large values. Chosen.
  std::int32_t far_levels = 4, far_levels_if_large = 2;
};

/// Row tiles on a host: see tile/fuse_row_tiles.hpp.
struct RowTileLimits {
  /// Whether products of windows read these from strips of the image, in kernels of their own.
  /// Measured, with the sums of a batch norm in the same kernel: 105 GFLOP/s, alone 185.
  bool has_window_strips = false;
  std::size_t most_instructions = 256;  ///< A kernel with more is slow to compile.
  /// Bytes of intermediates per row: those of a dozen rows fit in the last-level cache.
  std::int64_t most_row_bytes = std::int64_t{1} << 20;
  /// With fewer rows per outer point, and fewer outer points, threads share the columns of a
  /// product instead. Chosen.
  std::int64_t fewest_rows = 16;
  /// Elements of product operands shared by all tiles: 1 MiB of f32 stays in the cache of a core,
  /// so that rereading it for each tile is free.
  std::int64_t most_near_elements = 256 * 1024;
  /// Bytes of intermediates of a tile, which fit in the last-level cache.
  std::int64_t tile_bytes = std::int64_t{4} << 20;
  std::int64_t most_tile_rows = 4080;  ///< Of a tile, whatever their size: chosen.
  /// The fewest rows of a tile, however large they are, and the fewest tiles for threads to share.
  /// Chosen.
  std::int64_t fewest_tile_rows = 12, fewest_tiles = 2;
  /// A product in a kernel of its own reads the other operand once for CppLimits::rows_per_block.
  std::int64_t rows_per_panel_read = 480;
  /// For as many, rereading an operand is cheap. Measured: outer axes of 8 and 32.
  std::int64_t rows_to_reread = 128;
  std::int64_t columns_to_repack = 64;  ///< For as many, repacking a row operand is. Chosen.
  /// A shared operand is large if both its width and its depth exceed this: chosen.
  std::int64_t most_shared_width = 256;
};

/// Streaming kernels on a GPU: see tile/streaming_form.hpp.
struct StreamingLimits {
  /// The rows of a thread block, the fewest rows that fill its tiles, and the columns per step.
  std::int64_t rows = 64, fewest_rows = 16, step = 64;
  /// The fewest thread blocks that keep a GPU busy. With fewer of them, separate kernels, which
  /// also share the columns, are faster than a streaming kernel of more than `most_steps` steps.
  std::int64_t busy_blocks = 64, most_steps = 32;
  /// What a thread keeps of a row in registers, or a block in shared memory.
  std::int64_t most_width = 256;
};

/// Loops of a kernel: see loop/.
struct LoopLimits {
  std::int64_t short_row = 8;     ///< Shorter rows do not fill a vector.
  std::int64_t near_columns = 2;  ///< The stride between columns that are read as one vector.
  int product_unroll = 4;         ///< Rows and columns of a product without vectors of columns.
  int product_vectors = 2;        ///< Vectors of columns of a product.
  std::int64_t window_columns = 4;  ///< Fewer columns of windows do not fill half of a vector.
  /// If at most this many rows share the windows of a sum, a nest of loops computes it instead of
  /// the code of products: packing the windows would take longer than the sums. 0: never.
  std::int64_t most_window_rows = 0;
  /// Sums of windows that are kept in the 16 registers: 3 by 3, and some vectors of operands.
  std::int64_t window_sums = 12;
  /// Neighbouring columns that are computed as separate vectors and stored interleaved.
  std::int64_t interleaved_columns = 2;
};

/// Which kernels share a launch, and their order: see launch/.
struct LaunchLimits {
  /// A kernel that frees at least this many bytes may run earlier than recorded. Measured: 69 to
  /// 137 -> 33 to 89 MiB in the second half of a training step.
  std::int64_t fewest_freed_bytes = std::int64_t{1} << 20;
  std::int64_t few_bytes = 4096;  ///< Results of a kernel that may run first: chosen.
  /// Kernels that keep at most this many bytes in the arena may be delayed: launch overhead
  /// dominates their time, and the memory does not matter.
  std::int64_t most_small_bytes = std::int64_t{4} << 20;
  /// Bytes that the kernels of a batch hold while it is delayed to its last kernel: chosen.
  std::int64_t most_retained_bytes = std::int64_t{4} << 20;
  /// Iterations that one thread runs in the time that another takes to start.
  std::int64_t most_serial_work = 4096;
  /// Iterations of a finalizer on one thread: up to here other threads would not help, ...
  std::int64_t most_finalizer_work = 1 << 18;
  /// ... or the least ratio of the operations before it to its own. A multiply-add of a product
  /// takes a sixteenth of the time of reading an element: the finalizer takes at most 1/256.
  std::int64_t finalizer_work_ratio = 4096;
  /// With LaunchBatching::equal: the longest chain of kernels that may depend on a batch that was
  /// delayed. After a gradient there are its norm, the sum of norms, the scale, and the update of
  /// the parameter.
  std::size_t most_batch_tail = 8;
  /// Results of at least this many bytes that no kernel of the plan reads are stored
  /// non-temporally, so that they do not evict what kernels do read from the caches. Measured:
  /// 16 MiB, 822 -> 665 us.
  std::int64_t non_temporal_bytes = std::int64_t{4} << 20;
};

// Policies of kernel texts.

/// Kernels in C++. Bytes are those of a part of a cache: see host_target().
struct CppLimits {
  // Stores and loads.
  /// Results of at least this many bytes leave the caches before they are read. Measured: a copy
  /// 14 -> 21 GB/s; a loss below 2 MB.
  std::int64_t non_temporal_bytes = std::int64_t{32} << 20;
  /// Smaller results stay in a cache in any case: not timed by autotuning.
  std::int64_t fewest_non_temporal_bytes = std::int64_t{1} << 20;
  /// Bytes of a row that is prefetched while another is computed: the hardware prefetches smaller
  /// rows; larger ones would evict each other from the L2 cache. Measured: rows of 128 KB 23.1 ->
  /// 18.1 ms; rows of 2 MiB without prefetching 74 -> 57 ms.
  std::int64_t fewest_prefetched_bytes = 16 * 1024, most_prefetched_bytes = 512 * 1024;
  std::int64_t fewest_aligned_vectors = 4;  ///< Of a row; else peeling costs what it saves.
  /// A loop of more instructions is not written twice, for both kinds of stores: a branch for each
  /// vector takes a small part of its time.
  std::size_t most_instructions_written_twice = 12;
  /// The fewest vectors of a loop that is split at the border of windows, and the most instructions
  /// in it, which are written twice. Chosen.
  std::int64_t fewest_split_vectors = 3;
  std::size_t most_instructions_split = 48;
  /// A row that ends in the middle of a vector has non-temporal stores only if it is at least this
  /// long. Measured on Zen 3, rows of 56 f32: 2.9 ms with normal stores, 12.4 without.
  std::int64_t fewest_non_temporal_row = 4096;
  /// The most elements of a padded input that a thread stages in a part of the L1 cache, and the
  /// fewest reads of each element for which staging pays. Chosen.
  std::int64_t most_staged_elements = 6144;
  std::int64_t fewest_staged_reads = 2;
  /// The same for larger inputs, which stay in the L2 cache. Measured: depthwise 7x7 of 112x112,
  /// 2.3 -> 1.5 ms; 3x3 with stride 2, which reads an element 2.25 times, 3.0 -> 3.8 ms.
  std::int64_t most_far_staged_elements = 16384, fewest_far_staged_reads = 4;
  /// Staged positions are divided by the step of windows if at least this many windows read each of
  /// them. Measured, with a step of 2: 3x3 of 28x28, not divided, 5.8 -> 3.9 ms; 5x5 of 75x75,
  /// divided, 7.6 -> 5.0.
  double fewest_divided_reads = 2.5;
  std::int64_t most_steps_written_out = 9;  ///< Iterations over a window, 3 by 3. Chosen.
  std::int64_t fewest_transposed = 8;   ///< Iterations; transposed tiles do not pay for fewer.
  std::int64_t fewest_packed_rows = 8;  ///< Of an operand; packing does not pay for fewer.

  // Register tiles: as many sums as fit in the registers, beside a row of one operand and an
  // element of the other. 32 registers at 512 bits, 16 else. Measured: 0.92 of the peak.
  int tile_rows = 6, tile_rows_of_narrow = 8, tile_rows_of_scalars = 3;
  int tile_vectors = 4, tile_vectors_of_few_registers = 2;
  /// Fewer sums of a tile of windows take as long: a multiply-add takes 4 cycles, and two start in
  /// each. Measured: lines of 7 points, tiles of 2 vectors 65 GFLOP/s, of 3 vectors 92.
  int fewest_sums_of_window_tile = 8;
  /// Maps of fewer points are products of packed windows, whose panels have points of several
  /// images. Measured: 2 by 2 points of 256 channels, 58 GFLOP/s, from strips 49. Chosen.
  std::int64_t fewest_points_of_strip = 24;
  /// Strips of so many points read each weight for enough multiply-adds. Longer ones only pay if
  /// their sums take an eighth of the L2 cache. Measured, two threads, 2 MiB: 7x7/2 of one image of
  /// 224x224, 4.2 -> 0.8 ms (a quarter 0.85, a half 1.07), of four 4.1 -> 3.4; 11x11/4 of one
  /// 1.5 -> 0.47; 5x5 of 27x27, 64 to 192 channels, 1.8 -> 1.4 (strips of 108 points 1.56).
  std::int64_t enough_points_of_strip = 256, l2_share_of_strip_sums = 8;
  /// Transforms of 3 by 3 windows: the fewest planes and channels for which they pay, the most
  /// multiplications that may remain, and what it costs to transform a tile: as much as its
  /// products with some channels. Chosen.
  std::int64_t fewest_transformed_channels = 32, most_percent_transformed = 60;
  int transform_cost = 24;
  /// Products with weights of 1 by 1 read images as windows do if their weights are packed once,
  /// and if these have at most so many points, few or in deep planes. Measured, two threads: 2048
  /// planes of 7 by 7, 122 -> 166 GFLOP/s; 512 of them 153 -> 170; 1024 of 14 by 14, 147 -> 173.
  std::int64_t few_points = 64, most_points = 256;
  /// With more rows, tiles do not prefetch packed weights. Measured with prefetching: 128 rows by
  /// 768 x 3072 272 -> 330 GFLOP/s; 1024 rows by 1024 x 1024 lose 4 %.
  std::int64_t most_rows_with_prefetching = 512;
  int most_points_of_window_tile = 14;  ///< With 32 registers, and a single vector. Chosen.
  /// Positions along a window that are written out, 11 in AlexNet. Chosen.
  std::int64_t most_window_steps = 16;
  /// Columns of dot products of few rows at once, with 32 registers and with 16. Measured: the
  /// sums of six are folded together, 24.6 -> 16.6 us.
  int dot_columns = 6, dot_columns_of_few_registers = 2;

  // Blocks of products.
  // Costs in multiply-adds: of packing an element, and of an operation on one. Estimated.
  int packing_cost = 48, operation_cost = 3;
  /// Up to here the right operand is read in place. Measured: one row at memory speed, 16 rows at
  /// a third of it.
  std::int64_t few_rows = 16;
  std::int64_t few_sums = 4096;  ///< Of few rows at a time: 16 KiB of f32 stay in the L1 cache.
  /// With more rows, packing is too small a part of the time to be worth the memory of a cache.
  /// Chosen.
  std::int64_t most_rows_to_cache = 1536;
  /// Deeper products of few rows are split along the depth: columns stay in a near cache.
  std::int64_t most_unsplit_depth = 1024;
  /// The width of a panel, 64 columns of f32: results are read and written in runs of this many
  /// bytes. Measured at 256 bits, instead of 128 bytes: a training step 72 -> 69 ms, wider 165 ->
  /// 150.
  int panel_row_bytes = 256;
  /// A panel of this many bytes leaves room in the L2 cache for the rows multiplied by it.
  std::int64_t panel_bytes = std::int64_t{1} << 19;
  /// Panels up to this size are packed for the whole depth, and stay in the last-level cache.
  std::int64_t whole_panel_bytes = std::int64_t{1} << 22;
  /// The largest panels that a thread keeps for all its row tiles.
  std::int64_t most_kept_panel_bytes = std::int64_t{16} << 20;
  /// A block of rows is read once for each panel, so the last-level cache is near enough.
  std::int64_t row_block_bytes = std::int64_t{1} << 23;
  std::int64_t rows_per_block = 480, most_rows_per_block = 4080;
  /// Rows whose sums are kept while the panels along the depth follow each other.
  std::int64_t sum_rows = 480;
  /// The fewest elements of the depth for which sums are read from memory and added to. Measured
  /// for blocks of 196: 138 -> 173 GFLOP/s.
  std::int64_t fewest_block_elements = 128;
  /// Groups of columns up to this size stay in the L1 and L2 caches while tiles read them. Larger
  /// ones are transposed to rows, `transposed_columns` at a time.
  std::int64_t most_column_bytes = std::int64_t{1} << 16, transposed_columns = 512;
  /// Rows that share a set of the L1 cache are packed if each is multiplied by as many vectors.
  /// Measured: 32.1 -> 26.7 ms.
  std::int64_t vectors_for_packing = 32;
  /// A shallower product completes a tile before prefetched lines arrive.
  std::int64_t fewest_prefetching_steps = 64;
  /// Scratch memory of a row tile: half of an L2 cache of 1 MiB, less what streams through it.
  std::int64_t scratch_bytes = 384 * 1024;
};

/// Kernels in CUDA.
struct CudaLimits {
  int custom_threads = 256;  ///< Of a block of a custom operation. Chosen.

  // Streaming kernels.
  std::int64_t streaming_bytes = 96 * 1024;  ///< Shared memory: all GPUs since sm_80 have it.

  // Packs: eight points of 16 bits for each thread.
  /// Enough points to occupy a GPU; and few enough instructions, as registers grow eightfold.
  std::int64_t points_for_eight = std::int64_t{1} << 21;
  std::size_t most_instructions_for_eight = 24;

  // Column reductions.
  int column_threads = 512;  ///< Of a block. Chosen.
  /// Neighbouring columns per block: 128 bytes of f32, or fewer if there would be too few blocks
  /// for the multiprocessors, but at least a 32-byte sector.
  int most_columns = 32, fewest_columns = 8, fewest_column_blocks = 128;
  std::int64_t unshared_columns = std::int64_t{1} << 19;     ///< Then each has a thread.
  std::int64_t most_column_bytes = 32 << 10;                 ///< Of shared memory.
  int most_prefetched_rows = 4, most_prefetched_words = 40;  ///< Of a thread.

  // Transposed tiles.
  std::size_t most_tiles = 4;           ///< In shared memory at once.
  std::int64_t fewest_tile_extent = 8;  ///< Below this most threads of a tile are idle.

  // Rows.
  int other_registers = 24;  ///< Of a thread, that are not used for rows.
  int long_stage = 16;       ///< Stages of more instructions keep another value per element live.
  std::int64_t most_shared_scans = 4096;  ///< With more rows, each thread scans one of its own.
  /// Per thread and row: enough bytes in flight, and few enough registers for high occupancy.
  int row_packs = 2, row_elements = 8;
  int few_row_words = 32, most_row_words = 64;
  /// Threads of a block of short rows; of one long row; of one that is longer still.
  int threads_of_rows = 128, threads_of_row = 256, many_threads = 512;
  int most_words_of_many = 20;  ///< Above many_threads a thread has 64 registers.
  int most_stage_of_many = 40;  ///< Longer stages need the registers of smaller blocks.
  std::int64_t packs_for_many = 4096;

  // Products.
  int operand_buffers = 4;        ///< Pipeline stages: one is multiplied, three are fetched.
  std::int64_t fewest_depth = 8;  ///< Shorter sums hardly reuse operands: a thread each.
  std::int64_t few_rows = 8;      ///< Do not fill a tile.
};

// The target.

/// The default is a machine with one thread, which runs each kernel alone.
struct Target {
  /// The target "avx2", "sm_80", ..., whatever this machine is: see named_target.hpp.
  ///
  /// Throws   ValueError, with the names, if there is no such target
  static Target named(std::string_view name);

  std::string_view name = "one thread";

  Caches caches{};
  VectorUnit vectors{};
  Multiprocessors multiprocessors{};

  /// In order, up to the first null. They reassociate sums.
  std::array<Rewrite, 3> rewrites{};
  /// Threads share each row, so that each of them reduces columns of its own. Else each thread has
  /// a chunk of the rows.
  bool threads_share_rows = false;
  /// Bytes of the partial results of a group, per chunk.
  std::int64_t most_partial_bytes = unbounded;
  bool fuses_segments = false;      ///< See fuse/segmented_reduction.hpp.
  bool scans_take_readers = false;  ///< Readers of a scan share its kernel.
  bool rematerializes = false;      ///< Large values are rematerialized for late readers.
  /// Fuses kernels that have a streaming form; null if row tiles stay in the caches instead.
  RowTileFusion fuse_streaming = nullptr;
  /// Grid loops of unknown size are fused before they are split into chunks. That puts a division
  /// into every index.
  bool fuses_unknown_loops = false;
  bool sparse_updates = false;  ///< See Plan::sparse_updates.
  bool finalizers = false;      ///< The thread that ends last can run further kernels.
  LaunchBatching batching = LaunchBatching::none;
  bool non_temporal_stores = false;   ///< For outputs that no kernel reads.
  bool reuses_outputs = false;        ///< Temporaries use the memory of outputs that begin later.
  bool writes_over_operands = false;  ///< Results use the memory of operands that end.

  ParallelLimits parallel{};
  InliningLimits inlining{};
  ScratchLimits scratch{};
  SegmentLimits segments{};
  ChunkLimits chunks{};
  SplitLimits splits{};
  SplitKLimits split_k{};
  ColumnLimits columns{};
  RematerializeRules rematerialization{};
  RowTileLimits row_tiles{};
  StreamingLimits streaming{};
  LoopLimits loops{};
  LaunchLimits launches{};
  CppLimits cpp{};
  CudaLimits cuda{};

  bool streams() const { return fuse_streaming != nullptr; }
};

}  // namespace sinter::inline SINTER_ABI::detail::schedule
