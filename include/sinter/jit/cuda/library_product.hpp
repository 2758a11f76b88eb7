#pragma once
// Finds kernels that a matrix product of a library can replace, and the library call.

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/config.hpp>
#include <sinter/runtime/cuda/library/call.hpp>
#include <sinter/schedule/ir/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// The library call that replaces `kernel` under Numerics::fast, with f32 multiplied as TF32 if
/// `tf32`. Null if the kernel is not a product of two inputs as stored in memory, has an epilogue
/// that the library does not support, or is too small for the library to pay. Supported epilogues:
/// a factor, the addition of a matrix with the layout of the result, the addition of a row, and an
/// activation, in this order.
SharedPtr<const runtime::CudaLibraryCall> library_product(const schedule::Kernel& kernel,
                                                          bool tf32 = false);

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/cuda/library_product.ipp>
#endif
