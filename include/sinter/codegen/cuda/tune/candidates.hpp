#pragma once
// Tuning candidates of a GPU kernel.

#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cuda/emit_cuda.hpp>
#include <sinter/codegen/tune/candidates.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// Versions of `kernel` whose text differs from that of `options` and from one another: other tiles
/// of a product, more and fewer threads per row. All compute the same; with `strict`, the same
/// bits.
Vector<Candidate> cuda_candidates(const schedule::Kernel& kernel, const CudaOptions& options);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/tune/candidates.ipp>
#endif
