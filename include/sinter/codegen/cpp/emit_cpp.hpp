#pragma once
// Writes a kernel as a readable C++ function.

#include <string>  // std::string

#include <sinter/base/container/span.hpp>
#include <sinter/base/source.hpp>
#include <sinter/codegen/cpp/nest/options.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The source of
///
///     extern "C" void name(void* const* buffers, const long* sizes, Context* context,
///                          long thread, long threads)
///
/// where `buffers` are the arguments that are not local, in order, `sizes` the symbols of the
/// kernel, and each of `threads` threads calls the function once, with its number. Results do not
/// depend on the number of threads. Faults are recorded in `context`: see faults.hpp. The comments
/// cite lines of the user's program; the key does not depend on them.
Source emit_cpp(const schedule::Kernel& kernel, const CppOptions& options);

/// Definitions of the helpers that `kernels` call, to be compiled in front of their texts. They
/// include no headers, and need g++ 12 or clang 14.
std::string cpp_prelude(Span<const Source> kernels);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/emit_cpp.ipp>
#endif
