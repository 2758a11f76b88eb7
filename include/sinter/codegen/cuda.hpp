#pragma once
// Writes a kernel as a CUDA function that a person can read.

#include <span>    // std::span
#include <string>  // std::string

#include <sinter/base/source.hpp>
#include <sinter/codegen/cuda_launch.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/kernel.hpp>

namespace sinter::inline SINTER_ABI::codegen {

struct CudaOptions {
  bool strict = false;  ///< Round at every operation, keep the order of sums.
};

/// The source of
///
///     extern "C" __global__ void name(const T* in0, ..., U* out1, ..., long n0, ...,
///                                     Context* context)
///
/// whose parameters are the arguments that are not local, in order, the symbols of the kernel, and
/// the word for faults, all in memory of the device.
///
/// Kernels whose stages are vectorised take a block for each point of the grid, whose threads share
/// the last loop of each stage; local rows live in shared memory. Matrix products take a block for
/// each tile of their results. All others take a thread for each tile of the grid, which loads and
/// stores up to 16 bytes at a time.
Source emit_cuda(const schedule::Kernel& kernel, const CudaOptions& options);

/// How the text that emit_cuda() gives with these options is launched.
CudaLaunch cuda_launch(const schedule::Kernel& kernel, const CudaOptions& options = {});

/// What the texts of `kernels` call, to be put before them: header-free CUDA C++ for NVRTC.
std::string cuda_prelude(std::span<const Source> kernels);

}  // namespace sinter::inline SINTER_ABI::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda.ipp>
#endif
