#pragma once
// Automatic mixed precision: within a scope, products compute in a 16-bit dtype.

#include <cstdint>   // std::uint64_t
#include <optional>  // std::optional

#include <sinter/config.hpp>
#include <sinter/device/host/scoped_device.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

namespace amp {

/// During its lifetime, on this thread, products (matmul, linear, convolutions, einsum, attention)
/// compute f32, f16 and bf16 operands in `dtype`; softmax, norms and losses compute in f32. Scopes
/// nest. Compiled functions record once for each mode that they are called in.
///
/// Throws DTypeError unless `dtype` is f16, bf16 or f32, which turns it off.
class ScopedAutocast {
 public:
  explicit ScopedAutocast(DType dtype = bf16, Device device = current_device(),
                          Where where = Where::current());
  ScopedAutocast(const ScopedAutocast&) = delete;
  ScopedAutocast& operator=(const ScopedAutocast&) = delete;
  ~ScopedAutocast();

 private:
  std::optional<DType> outer_;
};

}  // namespace amp

namespace detail {

/// The autocast dtype of this thread; nothing outside of scopes.
std::optional<DType> autocast_dtype();

/// The dtype in which a product of operands promoted to `dtype` is computed.
DType autocast_product(DType dtype);
/// True if autocast widens operands of `dtype` to f32 in softmax, norms and losses.
bool autocast_widens(DType dtype);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/context/autocast.ipp>
#endif
