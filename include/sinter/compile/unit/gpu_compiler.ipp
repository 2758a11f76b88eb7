#pragma once

#include <sinter/base/error.hpp>
#include <sinter/compile/unit/gpu_compiler.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

namespace detail {

SINTER_INLINE const GpuCompiler*& installed_gpu_compiler() {
  static const GpuCompiler* compiler = nullptr;
  return compiler;
}

}  // namespace detail

SINTER_INLINE const GpuCompiler& gpu_compiler() {
  const GpuCompiler* const compiler = detail::installed_gpu_compiler();
  if (compiler == nullptr) throw InternalError("kernels for a GPU in a program without GPUs");
  return *compiler;
}

SINTER_INLINE void set_gpu_compiler(const GpuCompiler& compiler) {
  detail::installed_gpu_compiler() = &compiler;
}

}  // namespace sinter::inline SINTER_ABI::detail::compiler
