#pragma once
// The ways to write a kernel for a GPU among which timing decides.

#include <vector>  // std::vector

#include <sinter/codegen/cuda/emit_cuda.hpp>
#include <sinter/codegen/tune/candidates.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// Other texts of `kernel` than that of `options`, no two of them the same: other tiles of a
/// product, rows shared by more and by fewer threads. All compute what it computes; strict ones the
/// same bits.
std::vector<Candidate> cuda_candidates(const schedule::Kernel& kernel, const CudaOptions& options);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/tune/cuda_candidates.ipp>
#endif
