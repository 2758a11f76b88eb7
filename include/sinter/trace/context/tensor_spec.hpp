#pragma once
// TensorSpec: a tensor described by shape and dtype.

#include <sinter/config.hpp>
#include <sinter/trace/context/mark_dynamic.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

/// Describes a tensor on the current device by shape and dtype, without elements.
struct TensorSpec {
  Shape shape{};
  DType dtype = f32;
  detail::Marks marks{};
  Where where = Where::current();  ///< The line that creates the spec.

  /// The same with dimension `dim` marked, as mark_dynamic does it.
  [[nodiscard]] TensorSpec dynamic(int dim, DimRange range = {}, Where at = Where::current()) const;
};

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/context/tensor_spec.ipp>
#endif
