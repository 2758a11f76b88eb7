#pragma once
// RawTensor: the memory that the host function of a custom operation gets.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::int64_t
#include <span>     // std::span

#include <sinter/base/dtype.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI {

/// An operand or a result of a host function of a custom operation: dense, row-major memory.
/// Operands must not be written. A copy must not outlive the call.
class RawTensor {
 public:
  RawTensor(void* data, DType dtype, std::span<const std::int64_t> shape)
      : data_(data), shape_(shape), dtype_(dtype) {}

  void* data() const { return data_; }
  /// The elements; T is not checked against dtype().
  template <ElementType T>
  T* data() const {
    return static_cast<T*>(data_);
  }
  DType dtype() const { return dtype_; }
  std::span<const std::int64_t> shape() const { return shape_; }
  int ndim() const { return static_cast<int>(shape_.size()); }
  /// The extent of axis `dim`; negative ones count from the end.
  std::int64_t size(int dim) const {
    return shape_[static_cast<std::size_t>(dim < 0 ? dim + ndim() : dim)];
  }
  /// The distance of neighbours along axis `dim`, in elements.
  std::int64_t stride(int dim) const;
  std::int64_t numel() const;

 private:
  void* data_;
  std::span<const std::int64_t> shape_;
  DType dtype_;
};

namespace detail {

/// The host function of a custom operation. Threads may call it at the same time.
class HostKernel {
 public:
  virtual ~HostKernel() = default;
  virtual void operator()(std::span<const RawTensor> in, std::span<const RawTensor> out) const = 0;
};

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/graph/custom/raw_tensor.ipp>
#endif
