#pragma once
// Writes a kernel as a CUDA function that a person can read.

#include <span>    // std::span
#include <string>  // std::string

#include <sinter/base/source.hpp>
#include <sinter/codegen/cuda/nest/launch.hpp>
#include <sinter/codegen/text/tuning.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

struct CudaOptions {
  bool strict = false;  ///< Round at every operation, keep the order of sums.
  bool tf32 = false;    ///< Tensor cores may multiply f32; of no effect on strict texts.
  Tuning tuning{};      ///< What of it says nothing of texts, as who computes, changes none.
  /// For the body of a branch or loop in a graph: the function finds its arguments in memory. See
  /// cuda/control.hpp.
  bool in_body = false;
};

/// The source of
///
///     extern "C" __global__ void name(const T* in0, ..., U* out1, ..., long n0, ...,
///                                     Context* context)
///
/// whose parameters are the arguments that are not local, in order, the symbols of the kernel, and
/// the word for faults, all in memory of the device.
///
/// Kernels with parts have all of these in a table instead: see batched_launch.hpp.
///
/// Matrix products take a block for each tile of their results: see product/product.hpp. Kernels
/// whose stages are vectorised have the points of the grid shared by neighbouring threads, from one
/// to a block of them, which keep rows in registers where they fit: see nest/rows.hpp. Those that
/// reduce columns share these in blocks: see nest/columns.hpp; those that turn what they read do it
/// in tiles: see nest/transpose.hpp. All others take a thread for each tile of the grid, which
/// loads and stores up to 16 bytes at a time.
Source emit_cuda(const schedule::Kernel& kernel, const CudaOptions& options);

/// How the function that emit_cuda() gives for the same options is launched.
CudaLaunch cuda_launch(const schedule::Kernel& kernel, const CudaOptions& options = {});

namespace detail {

/// The text of `kernel` as the function `name`, whose arguments are parameters.
std::string cuda_function(const schedule::Kernel& kernel, const std::string& name,
                          const CudaOptions& options);

}  // namespace detail

/// What the texts of `kernels` call, to be put before them: header-free CUDA C++ for NVRTC.
std::string cuda_prelude(std::span<const Source> kernels);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/emit_cuda.ipp>
#endif
