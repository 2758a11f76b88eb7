#pragma once
// The interface to the compiler of kernels for GPUs.

#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

struct TranslationUnit;

/// Compiles units whose language is that of a GPU. compile/nvrtc/compiler.hpp implements it.
class GpuCompiler {
 public:
  virtual ~GpuCompiler() = default;

  /// Its name and version, which are part of the keys of cached kernels; "" if this machine has
  /// none.
  virtual std::string identity() const = 0;
  /// The loadable binary of `text` for unit.architecture. DeviceError if this machine has no such
  /// compiler, InternalError with its log if `text` does not compile.
  virtual std::string compile(const TranslationUnit& unit, std::string_view text) const = 0;
};

/// The compiler of this process. InternalError in a program that is built without GPUs, which has
/// no such units.
const GpuCompiler& gpu_compiler();

/// Makes `compiler`, which lives until the end of the process, that compiler.
void set_gpu_compiler(const GpuCompiler& compiler);

}  // namespace sinter::inline SINTER_ABI::detail::compiler

#ifdef SINTER_DEFINITIONS
#include <sinter/compile/unit/gpu_compiler.ipp>
#endif
