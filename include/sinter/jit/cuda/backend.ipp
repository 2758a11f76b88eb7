#pragma once

#include <sinter/compile/nvrtc/compiler.hpp>
#include <sinter/device/cuda/backend/backend.hpp>
#include <sinter/jit/cuda/backend.hpp>
#include <sinter/jit/cuda/lower.hpp>
#include <sinter/jit/lower/lower.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

SINTER_INLINE bool install_cuda() {
  static const bool is_installed = [] {
    gpu_backend() = &cuda_backend();
    compiler::set_gpu_compiler(compiler::nvrtc_compiler());
    gpu_lowering() = &detail::lower_for_gpu;
    return true;
  }();
  return is_installed;
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
