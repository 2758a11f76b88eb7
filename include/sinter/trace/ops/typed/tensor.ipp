#pragma once

#include <sinter/trace/ops/typed/tensor.hpp>

namespace sinter::inline SINTER_ABI::detail {

// A number must be the extent, and where a name is twice there must be one extent; dyn may be any.
SINTER_INLINE bool fits(const Shape& shape, Span<const Dim> dims, Where where) {
  if (static_cast<std::size_t>(shape.size()) != dims.size()) return false;
  for (int axis = 0; axis < shape.size(); ++axis) {
    const Dim& dim = dims[static_cast<std::size_t>(axis)];
    if (dim.size >= 0 && !equal_sizes(shape[axis], dim.size, where)) return false;
    for (int other = 0; other < axis && dim.size < 0 && dim != dyn; ++other) {
      const bool is_same = dims[static_cast<std::size_t>(other)] == dim;
      if (is_same && !equal_sizes(shape[axis], shape[other], where)) return false;
    }
  }
  return true;
}

SINTER_INLINE void require_type(const Tensor& tensor, DType dtype, Span<const Dim> dims,
                                Where where) {
  const bool same_dtype = tensor.dtype(where) == dtype;
  if (same_dtype && detail::fits(tensor.shape(), dims, where)) return;
  const Report report{.op = "TensorOf",
                      .what = "the tensor is of a different type",
                      .facts = {{"value", to_string(tensor)}, {"type", text(dtype, dims)}},
                      .rule =
                          "dtypes are equal; extents are the numbers in the type, and one for "
                          "each name",
                      .fix = same_dtype ? "write dyn, or a name, for a dimension that varies"
                                        : text("convert it: x.to(", dtype, ")"),
                      .where = where,
                      .see = "typed-tensors"};
  if (!same_dtype) throw DTypeError(report);
  throw ShapeError(report);
}

}  // namespace sinter::inline SINTER_ABI::detail
