#pragma once
// Writes a kernel as a C++ function that a person can read.

#include <span>    // std::span
#include <string>  // std::string

#include <sinter/base/source.hpp>
#include <sinter/codegen/tuning.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

struct CppOptions {
  int vector_bits = 512;  ///< 512, 256 or 128; 0 for one number at a time.
  bool strict = false;    ///< Round at every operation, keep the order of sums.
  /// Whether the machine multiplies pairs of bf16 in one instruction; texts that do so run on all.
  bool multiplies_pairs = false;
  bool multiplies_squares = false;  ///< The same of squares of 16 by 16 sums; with pairs only.
  Tuning tuning{};
};

/// The source of
///
///     extern "C" void name(void* const* buffers, const long* sizes, Context* context,
///                          long thread, long threads)
///
/// where `buffers` are the arguments that are not local, in order, `sizes` the symbols of the
/// kernel, and each of `threads` threads calls the function once, with its number. Results do not
/// depend on the number of threads. A fault is noted in `context`: see faults.hpp. The comments
/// name lines of the user's program; the key does not.
Source emit_cpp(const schedule::Kernel& kernel, const CppOptions& options);

/// What the texts of `kernels` call, to be put before them: header-free C++ for g++ 12 and clang 14
/// or newer.
std::string cpp_prelude(std::span<const Source> kernels);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp.ipp>
#endif
