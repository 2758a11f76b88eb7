#pragma once
// A custom operation: what computes it, and the memory that its host function gets.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::int64_t
#include <span>     // std::span
#include <string>   // std::string

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/dtype.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/custom/user_text.hpp>

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

/// What all nodes of a custom operation share.
struct CustomCode {
  std::string name{};                 ///< "shop::discount"
  SharedPtr<const HostKernel> call{};  ///< Null if the operation has none.
  std::string cpp{}, cuda{};          ///< Texts; empty if the operation has none.
  UserFunction cpp_function{}, cuda_function{};  ///< What they define.
  bool has_side_effects = false;  ///< Each node is called, although nobody reads its results.
  Where where{};                  ///< The line of custom_op().
  Hash identity{};   ///< Of all that a node computes; if it has a `call`, in this process only.
  Hash text_hash{};  ///< Of the name and the texts, the same in every process.
};

/// SINTER_CHECK: whether kernels of custom operations get guarded memory, and their results are
/// compared with the reference. Tests may set it.
bool& checks_custom();

/// "user_1a2b3c4d", of the texts: the namespace of the text in kernels.
std::string user_function_name(const CustomCode& code);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/graph/custom/custom_code.ipp>
#endif
