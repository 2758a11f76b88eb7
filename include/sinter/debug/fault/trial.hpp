#pragma once
// Ways to run a problem, and whether it fails in a given way.

#include <cstdint>  // std::int64_t, std::uint8_t
#include <string>   // std::string

#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/debug/fault/comparison.hpp>
#include <sinter/debug/fault/problem.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

/// A way in which a problem fails.
enum class FailureKind : std::uint8_t {
  none,
  passes,         ///< The graph after the passes, interpreted, differs from the graph before them.
  kernels,        ///< Compiled code differs from the interpreter.
  in_place,       ///< The same where results are written over the inputs that they update.
  gradient_rule,  ///< Gradients differ from differences.
  batching_rule,  ///< A batch differs from one sample after the other.
  non_finite,     ///< NaN or infinity of finite inputs.
  error,          ///< Compiling or running it throws.
  crash           ///< Compiling or running it ends the process.
};
std::string to_string(FailureKind fault);

/// What differs from how compile() runs a graph.
struct Variation {
  bool in_place = false;
  bool one_thread = false;
  bool reuses_memory = true;  ///< Results over operands, temporaries in outputs.
  bool batches = true;        ///< Several kernels in a launch, finalizers.
  bool row_tiles = true;
  bool rewrites = true;  ///< Partial reductions, rematerialisation.
  bool vectors = true;
};

/// The results of compiled code, in host memory.
Vector<Storage> compiled_results(const Problem& problem, const Variation& variation = {});
/// The names of the kernels of the problem.
Vector<std::string> kernel_names(const Problem& problem);
/// The types of the outputs, without symbols.
Vector<TensorType> output_types(const Problem& problem);
/// The results of the interpreter.
Vector<Storage> interpreted_results(const Problem& problem);

/// A replacement by a rule of a pass.
struct Replacement {
  std::int64_t number = 0;  ///< Counted from 1, over all passes.
  std::string pass{}, rule{};
  Op op{};  ///< Of the node that was replaced.
  CalledFunction called{};
};
/// The graph of the problem after the first `most` replacements of the passes; all if it is
/// negative. `last` becomes the last of them.
Graph optimized(const Problem& problem, std::int64_t most, Replacement* last = nullptr);

/// Compares compiled code with the interpreter.
Difference kernel_difference(const Problem& problem, const Variation& variation = {});
/// Compares the graph after `most` replacements with the graph before.
Difference pass_difference(const Problem& problem, std::int64_t most = -1);

/// How the problem fails in this way; empty if it does not. For FailureKind::crash as for error.
std::string failure_of(const Problem& problem, FailureKind fault);

}  // namespace sinter::inline SINTER_ABI::detail::debug

#ifdef SINTER_DEFINITIONS
#include <sinter/debug/fault/trial.ipp>
#endif
