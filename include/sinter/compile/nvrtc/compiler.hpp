#pragma once
// Compiles CUDA text to a cubin with NVRTC, in this process; needs no GPU.

#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/compile/unit/gpu_compiler.hpp>
#include <sinter/compile/unit/translation_unit.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

struct Cubin {
  std::string bytes{};
  std::string log{};  ///< Warnings, and the resource usage if requested.
};

/// Whether the log lists registers, shared memory and spills of each kernel.
enum class Resources : bool { silent, listed };

/// The version of the NVRTC on this machine, "nvrtc 13.0"; "" without one.
std::string nvrtc_identity();

/// The cubin of `text` for unit.architecture, "sm_80" or newer. DeviceError if this machine has no
/// NVRTC, InternalError with the log and the path of the text, which is then kept, if it does not
/// compile.
Cubin compile_cuda(const TranslationUnit& unit, std::string_view text,
                   Resources resources = Resources::silent);

/// NVRTC as the compiler of kernels for GPUs.
const GpuCompiler& nvrtc_compiler();

}  // namespace sinter::inline SINTER_ABI::detail::compiler

#ifdef SINTER_DEFINITIONS
#include <sinter/compile/nvrtc/compiler.ipp>
#endif
