#pragma once
// A plan: kernels, the order in which they run, and where their buffers live.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::uint8_t
#include <string>   // std::string
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/schedule/ir/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

enum class Home : std::uint8_t { input, output, arena };

/// Dense, row-major memory.
struct Buffer {
  DType dtype{};
  Extent elements = 0;
  Home home{};
  std::int32_t position = -1;  ///< Of an input or output: which one.
  Extent offset = 0;           ///< In the arena: bytes from its start, a multiple of 64.
};

/// A place where the data can be at fault.
struct Check {
  Code code{};              ///< bind or divisor
  Op op{};                  ///< gather, floor_divide
  DType dtype{};            ///< Of the divisor.
  CalledFunction called{};  ///< What the user called, and where.
};

/// A branch or a loop: a launch that runs plans. Its buffers are the inputs of the node, its
/// results, and another one for each value that a loop hands from step to step.
struct Control {
  Op op{};                               ///< cond, while_loop or scan
  std::vector<std::int32_t> bodies{};    ///< In Plan::bodies.
  std::int32_t inputs = 0, results = 0;  ///< How many buffers are which.
  std::int32_t states = 0, xs = 0;       ///< Of the inputs: handed from step to step; scanned.
  bool reverse = false;
  Extent length = 0;            ///< The number of steps of a scan.
  std::vector<Extent> bytes{};  ///< Of each state, of a step of xs, of a step of what is stacked.
};

/// When a kernel of a launch runs: before all that run together, in order; with others, of which it
/// is independent; after all of those, in order.
enum class Turn : std::uint8_t { before, together, after };

/// A kernel of a launch of several.
struct Entry {
  std::int32_t kernel = 0;              ///< In Plan::kernels.
  std::int32_t buffers = 0, sizes = 0;  ///< How many of the launch, after those of the last entry.
  Extent work = 0;
  Turn turn = Turn::together;
};

/// Memory for what a kernel packs of one of its inputs, which it finds again in the next call: 64
/// bytes, a head as of Derived, and what is packed.
struct Kept {
  std::int32_t input = -1;  ///< Of the graph; -1: nothing is kept.
  std::int64_t bytes = 0;   ///< In all.
  Hash key{};               ///< How it is packed.
};

/// One run of a kernel, of several kernels whose work the threads share as if it were that of one,
/// or of what `control` says.
struct Launch {
  std::int32_t kernel = 0;              ///< In Plan::kernels; many launches may share one.
  std::vector<std::int32_t> buffers{};  ///< For each argument that is not local.
  std::vector<Extent> sizes{};          ///< For each symbol of the kernel.
  Extent work = 0;                      ///< Innermost iterations: decides how many threads pay.
  Extent bytes_read = 0, bytes_written = 0;  ///< Distinct elements of its buffers.
  Extent operations = 0;        ///< Of arithmetic, one for each element; a multiply-add is two.
  std::vector<Where> lines{};   ///< Of the user, in order, each once.
  std::vector<Check> checks{};  ///< Of the kernel, in order.
  bool is_checked = false;      ///< A launch before it, which updates nothing, has these too.
  std::int32_t control = -1;    ///< In Plan::controls; then there is no kernel.
  /// Of several kernels, else empty; `kernel` is that of most of them.
  std::vector<Entry> entries{};
  std::vector<Kept> kept{};  ///< The address of each, or null, follows those of the buffers.
};

/// An in-out argument: output `output` is the next value of input `input`, and may be given the
/// same memory. The plan is right either way.
struct Update {
  std::int32_t input = 0, output = 0;
};

struct Plan {
  std::vector<Kernel> kernels{};   ///< No two compute the same.
  std::vector<Launch> launches{};  ///< In order.
  std::vector<Buffer> buffers{};
  std::vector<std::int32_t> inputs{};   ///< The buffer of each input of the graph.
  std::vector<std::int32_t> outputs{};  ///< The buffer of each output; that of an input if the
                                        ///< output is an input, reshaped at most.
  /// Outputs that are written only where they differ from the inputs that they update: an output
  /// that is not given the memory of its input begins as a copy of it.
  std::vector<Update> begun{};
  Extent arena_bytes = 0;
  std::vector<Control> controls{};
  std::vector<Plan> bodies{};  ///< Their kernels are in the list of the plan around them, and they
                               ///< write each output to memory of its own.
};

struct Options {
  bool strict = false;  ///< Round at every operation, keep the order of sums.
  std::vector<Update> updates{};
  /// Whether products and rows may share kernels: see tile/fuse_rows.hpp. Of a GPU: those that can
  /// stream.
  bool blocks = false;
  /// For threads that share memory: what ends last finishes the kernel, kernels may share launches.
  bool host = false;
  /// Whether outputs may begin as the inputs that they update: not in a part of a plan.
  bool begins = false;
  /// For thousands of threads: reductions and long products are taken in as many parts.
  bool gpu = false;
  /// Of a launch of a GPU, at most: what every driver takes. See most_argument_bytes().
  std::size_t argument_bytes = 4096;
};

/// Calls visit(entry, its first buffer, its first size) for each kernel that `launch` runs, in an
/// order in which one thread may run them.
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

/// The kernels of a launch, each once, in the order in which they are first run.
std::vector<std::int32_t> kernels_of(const Launch& launch);

/// The launches of kernels, then those of bodies, each body once.
std::vector<const Launch*> kernel_launches(const Plan& plan);

std::string to_string(const Plan& plan);

/// Throws InternalError unless `plan` is well formed: every buffer written before it is read.
void verify(const Plan& plan);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/ir/plan.ipp>
#endif
