#pragma once
// Which kernels a library of matrix products computes as well, and the call that does.

#include <memory>  // std::shared_ptr

#include <sinter/config.hpp>
#include <sinter/runtime/cuda/library/call.hpp>
#include <sinter/schedule/ir/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// The call that computes what `kernel` does, as it is computed under `fast`, with f32 multiplied
/// as TF32 if `tf32`; null if the kernel is no product of two inputs as they lie in memory, does
/// more with the sums than a library can, or is known to be too small for one. What a library can:
/// a factor, an addition of a matrix that lies like the result, one of a row, and an activation, in
/// this order.
std::shared_ptr<const runtime::CudaLibraryCall> library_product(const schedule::Kernel& kernel,
                                                                bool tf32 = false);

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/tune/library_product.ipp>
#endif
