#pragma once
// A second kind of GPU: AMD's, in HIP, whose kernels look like CUDA but for warps, copies and
// matrices. All of it is here: a target, and the helpers that differ.

#include <array>
#include <string_view>

#include <sinter/codegen/cuda/emit_cuda.hpp>
#include <sinter/codegen/cuda/prelude/helpers.hpp>
#include <sinter/schedule/gpu_target.hpp>

namespace hip {

namespace codegen = sinter::detail::codegen;
namespace schedule = sinter::detail::schedule;

inline constexpr std::string_view opening = R"(// HIP, for its run-time compiler
#ifndef __HIP_PLATFORM_AMD__  // the emulator has the intrinsics of CUDA
#define __shfl(v, lane) __shfl_sync(~0u, v, lane)
#define __shfl_up(v, by) __shfl_up_sync(~0u, v, by)
#define __shfl_xor(v, by) __shfl_xor_sync(~0u, v, by)
#define __builtin_amdgcn_wave_barrier() __syncwarp()
#endif
#define INLINE static __device__ __forceinline__
#define __shfl_sync(lanes, v, lane) __shfl(v, lane)
#define __shfl_up_sync(lanes, v, by) __shfl_up(v, by)
#define __shfl_xor_sync(lanes, v, by) __shfl_xor(v, by)
#define __syncwarp(...) __builtin_amdgcn_wave_barrier()

)";

/// In front of those of CUDA: what is written in PTX there.
inline constexpr std::array<codegen::Helper, 9> helpers{{
    {"copy_16", "", codegen::Lanes::any,
     R"(INLINE void copy_16(void* to, const void* from, int bytes) {
  for (int i = 0; i < 16; ++i) ((char*)to)[i] = i < bytes ? ((const char*)from)[i] : 0;
})"},
    {"end_copies", "", codegen::Lanes::any, "INLINE void end_copies() {}"},
    {"wait_copies", "", codegen::Lanes::any, "template <int groups>\nINLINE void wait_copies() {}"},
    {"f32_of", "f16", codegen::Lanes::one, R"(INLINE float f32_of_f16(unsigned short v) {
  return (float)*(const _Float16*)&v;
})"},
    {"f16_of", "f32", codegen::Lanes::one, R"(INLINE unsigned short f16_of_f32(float v) {
  const _Float16 r = (_Float16)v;
  return *(const unsigned short*)&r;
})"},
    {"product", "f32", codegen::Lanes::one, R"(INLINE float product_f32(float v) {
  volatile float r = v;
  return r;
})"},
    {"product", "f64", codegen::Lanes::one, R"(INLINE double product_f64(double v) {
  volatile double r = v;
  return r;
})"},
    {"at_present", "", codegen::Lanes::any, R"(INLINE unsigned at_present(unsigned v) {
  volatile unsigned r = v;
  return r;
})"},
    {"near_exp", "f32", codegen::Lanes::one, R"(INLINE float near_exp_f32(float v) {
  return __builtin_expf(v);
})"},
}};

inline codegen::HelperSet& helper_set() {
  static codegen::HelperSet result = [] {
    codegen::HelperTables tables = codegen::cuda_helper_tables();
    tables.opening = opening;
    tables.tables.insert(tables.tables.begin(), helpers);
    return codegen::HelperSet(std::move(tables));
  }();
  return result;
}

/// An RX 7900 XTX: wavefronts of 32 threads, and no mma.sync.
inline schedule::Target target() {
  schedule::Target result =
      schedule::gpu_target({.count = 96, .shared_bytes = 64 * 1024, .has_tensor_cores = false});
  result.name = "gfx1100";
  return result;
}

inline codegen::CudaOptions options() { return {.target = target(), .helpers = helper_set}; }

}  // namespace hip
