#pragma once
// The product of this stage: kernels, the order in which they run, and where their buffers live.

#include <cstdint>  // std::uint8_t
#include <string>   // std::string
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/schedule/kernel.hpp>

namespace sinter::inline SINTER_ABI::schedule {

enum class Home : std::uint8_t { input, output, arena };

/// Dense, row-major memory.
struct Buffer {
  DType dtype{};
  Extent elements = 0;
  Home home{};
  std::int32_t position = -1;  ///< Of an input or output: which one.
  Extent offset = 0;           ///< In the arena: bytes from its start, a multiple of 64.
};

/// One run of a kernel.
struct Launch {
  std::int32_t kernel = 0;              ///< In Plan::kernels; many launches may share one.
  std::vector<std::int32_t> buffers{};  ///< For each argument that is not local.
  std::vector<Extent> sizes{};          ///< For each symbol of the kernel.
  Extent work = 0;                      ///< Innermost iterations: decides how many threads pay.
  Extent bytes_read = 0, bytes_written = 0;  ///< Distinct elements of its buffers.
  std::vector<Where> lines{};                ///< Of the user, in order, each once.
  std::vector<Where> faults{};               ///< For each bind, in order: the line of the user.
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
  Extent arena_bytes = 0;
};

struct Options {
  bool strict = false;  ///< Round at every operation, keep the order of sums.
  std::vector<Update> updates{};
};

/// Lays out `graph` as kernels.
Plan plan(const Graph& graph, const Options& options);

std::string to_string(const Plan& plan);

/// Throws InternalError unless `plan` is well formed: every buffer written before it is read.
void verify(const Plan& plan);

}  // namespace sinter::inline SINTER_ABI::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/plan.ipp>
#endif
