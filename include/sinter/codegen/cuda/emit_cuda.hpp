#pragma once
// Emits a kernel as a readable CUDA function, and says how to launch it.

#include <string>  // std::string

#include <sinter/base/container/span.hpp>
#include <sinter/base/source.hpp>
#include <sinter/codegen/cuda/nest/launch.hpp>
#include <sinter/codegen/cuda/nest/options.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The source of
///
///     extern "C" __global__ void name(const T* in0, ..., U* out1, ..., long n0, ...,
///                                     Context* context)
///
/// whose parameters are the non-local arguments in order, the symbols of the kernel, and the fault
/// record; all pointers are to device memory. Kernels in bodies and batched kernels get them in
/// other ways: see nest/function_head.hpp.
///
/// How work is mapped to threads:
/// - matrix products: a block per output tile (product/product.hpp);
/// - attention in streaming form: a block per row tile (attention/streaming.hpp);
/// - kernels with vectorised stages: 1 thread to a whole block per row, rows in registers if they
///   fit (nest/rows.hpp);
/// - column reductions: the threads of a block share the rows of a column (nest/columns.hpp);
/// - transposed reads: tiles in shared memory (nest/transpose.hpp);
/// - all others: a thread per tile of the grid, with loads and stores of up to 16 bytes.
Source emit_cuda(const schedule::Kernel& kernel, const CudaOptions& options);

/// Launch configuration of the function that emit_cuda() returns for the same options.
CudaLaunch cuda_launch(const schedule::Kernel& kernel, const CudaOptions& options = {});

namespace detail {

/// The text of `kernel` as the function `name`.
std::string cuda_function(const schedule::Kernel& kernel, const std::string& name,
                          const CudaOptions& options);

}  // namespace detail

/// The helpers that `kernels` call, to be placed before them: header-free CUDA C++ for NVRTC, or of
/// CudaOptions::helpers.
std::string cuda_prelude(Span<const Source> kernels, const CudaOptions& options = {});

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/emit_cuda.ipp>
#endif
