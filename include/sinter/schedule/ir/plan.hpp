#pragma once
// A plan: kernels, their launch order, and the placement of their buffers.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::uint8_t
#include <string>   // std::string
#include <vector>   // std::vector

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/schedule/ir/kernel.hpp>
#include <sinter/schedule/ir/target.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

enum class Home : std::uint8_t { input, output, arena };

/// Dense, row-major memory.
struct Buffer {
  DType dtype{};
  Extent elements = 0;
  Home home{};
  std::int32_t position = -1;  ///< The number of the input or output; -1 in the arena.
  Extent offset = 0;           ///< Bytes from the start of the arena, a multiple of 64.
  std::int32_t whole = -1;     ///< In the arena: the buffer that this one is a part of,
  std::int64_t begin = 0;      ///< from this byte on.
};

inline Extent bytes_of(const Buffer& buffer) {
  return buffer.elements * Extent(info(buffer.dtype).size);
}

/// A runtime check that the data can fail.
struct Check {
  Code code{};              ///< bind or divisor
  Op op{};                  ///< gather, floor_divide
  DType dtype{};            ///< The dtype of the divisor.
  CalledFunction called{};  ///< What the user called, and where.
};

/// A branch or a loop: a launch that runs plans; or a call of the host function of a custom node.
/// Its buffers are the inputs of the node, its results, and a second buffer for each value that a
/// loop carries from step to step.
struct Control {
  Op op{};                               ///< cond, while_loop, scan or custom
  Vector<std::int32_t> bodies{};         ///< Indices into Plan::bodies.
  std::int32_t inputs = 0, results = 0;  ///< The number of input and of result buffers.
  std::int32_t states = 0, xs = 0;       ///< The number of inputs carried, and of inputs scanned.
  bool reverse = false;
  Extent length = 0;  ///< The number of steps of a scan.
  /// The size of each carried state, of one step of each xs, of one step of each stacked result.
  std::vector<Extent> bytes{};
  SharedPtr<const CustomCode> code{};  ///< What a custom node calls,
  Vector<TensorType> types{};          ///< and the types of its inputs and results.
  /// It runs beside later launches on a GPU, until one reads its results.
  bool overlaps = false;
  /// Whether a custom node gets its inputs inside its last result, or leaves its results inside its
  /// last input: see memory/joined_memory.hpp.
  bool joins = false, splits = false;
};

/// When a kernel of a batched launch runs: the prologue first, in order; then the parallel kernels,
/// which are independent of each other; then the epilogue, in order.
enum class LaunchPhase : std::uint8_t { prologue, parallel, epilogue };

/// One kernel of a batched launch.
struct Entry {
  std::int32_t kernel = 0;  ///< Index into Plan::kernels.
  /// The number of buffers and sizes of the launch that it takes, after those of earlier entries.
  std::int32_t buffers = 0, sizes = 0;
  Extent work = 0;
  LaunchPhase phase = LaunchPhase::parallel;
};

/// Memory that keeps the packed form of an input of a kernel from call to call: a header of 64
/// bytes, laid out as that of PackedWeight, and the packed elements.
struct PackedInput {
  std::int32_t input = -1;  ///< The input of the graph; -1 if none is packed.
  std::int64_t bytes = 0;   ///< Header and elements.
  Hash key{};               ///< Identifies the packed layout.
};

/// One run of a kernel, of a batch of kernels whose work the threads share as if it were one, or of
/// control flow.
struct Launch {
  std::int32_t kernel = 0;              ///< Index into Plan::kernels; launches may share a kernel.
  Vector<std::int32_t> buffers{};       ///< One for each argument that is not local.
  std::vector<Extent> sizes{};          ///< One for each symbol of the kernel.
  Extent work = 0;                      ///< Innermost iterations; decides the number of threads.
  Extent bytes_read = 0, bytes_written = 0;  ///< Each element of its buffers is counted once.
  Extent operations = 0;        ///< Floating-point operations; a multiply-add counts as two.
  std::vector<Where> lines{};   ///< The lines of the user that it computes, in order, each once.
  Vector<Check> checks{};       ///< The checks of the kernel, in order.
  bool is_checked = false;      ///< An earlier launch, which updates nothing, made these checks.
  std::int32_t control = -1;    ///< Index into Plan::controls, if this is no kernel launch.
  /// The kernels of a batched launch, else empty; `kernel` is then the most frequent of them.
  Vector<Entry> entries{};
  /// Their addresses (null where nothing is kept) follow those of the buffers.
  Vector<PackedInput> packed_inputs{};
  Vector<std::int32_t> lowered{};  ///< The kernels that it runs, as explain() numbers them.
};

/// An in-out argument: output `output` is the next value of input `input`. The caller may give both
/// the same memory; the plan is correct either way.
struct Update {
  std::int32_t input = 0, output = 0;
};

struct Options {
  bool strict = false;  ///< Round at every operation, keep the order of sums.
  Vector<Update> updates{};
  /// Fuse products and row reductions into row-tiled kernels, see tile/fuse_row_tiles.hpp; where
  /// Target::streams(), only those with a streaming form.
  bool row_tiles = false;
  Target target{};
  bool is_section = false;  ///< Plan a part of a graph with control flow: see plan_control().
  /// Recompute products for late readers, however small they are and however much that costs: to
  /// need less memory.
  bool saves_memory = false;
  /// The outputs of a section that each start reads: see is_start(). No batch of kernels delays it.
  Vector<Vector<std::int32_t>> starts{};
};

struct Plan {
  Vector<Kernel> kernels{};   ///< No two are equal.
  Vector<Launch> launches{};  ///< In launch order.
  Vector<Buffer> buffers{};
  Vector<std::int32_t> inputs{};   ///< The buffer of each input of the graph.
  Vector<std::int32_t> outputs{};  ///< The buffer of each output; that of an input if the
                                   ///< output is an input or a reshape of one.
  /// Outputs that the kernels write only where they differ from the input that they update. If
  /// output and input do not share memory, the runtime first copies the input to the output.
  Vector<Update> sparse_updates{};
  Extent arena_bytes = 0;
  Vector<Control> controls{};
  Vector<Plan> bodies{};  ///< They use the kernels of the enclosing plan, and write each
                          ///< output to memory of its own.
  SharedPtr<const Options> options{};  ///< What it was made with.
};

/// Calls visit(entry, its first buffer, its first size) for each kernel of `launch`, in an order in
/// which a single thread may run them.
template <class Visit>
void for_each_entry(const Launch& launch, const Visit& visit) {
  const auto count = [](const auto& list) { return static_cast<std::int32_t>(list.size()); };
  if (launch.entries.empty()) {
    const Entry all{launch.kernel, count(launch.buffers), count(launch.sizes), launch.work};
    return visit(all, 0, 0);
  }
  std::size_t buffers = 0, sizes = 0;
  for (const Entry& entry : launch.entries) {
    visit(entry, buffers, sizes);
    buffers += static_cast<std::size_t>(entry.buffers);
    sizes += static_cast<std::size_t>(entry.sizes);
  }
}

/// The kernels of a launch, each once, in the order of their first run.
Vector<std::int32_t> kernels_of(const Launch& launch);

/// The kernel launches of the plan, then those of its bodies, each body once.
Vector<const Launch*> kernel_launches(const Plan& plan);

std::string to_string(const Plan& plan);

/// Throws InternalError unless `plan` is well formed: for example, each buffer is written before it
/// is read.
void verify(const Plan& plan);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/ir/plan.ipp>
#endif
