#pragma once

#include <algorithm>  // std::max, std::min

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/error.hpp>
#include <sinter/runtime/interpreter/creation.hpp>
#include <sinter/runtime/interpreter/movement.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime::interpreter {

SINTER_INLINE Array reshape(const Array& x, const Sizes& shape, Where where) {
  const bool uniform = all_of(x.strides, [](std::int64_t stride) { return stride == 0; });
  Array result = uniform ? x : to_dense(x, where);
  result.shape = shape;
  result.strides = dense_strides(shape);
  if (uniform) std::fill(result.strides.begin(), result.strides.end(), 0);
  return result;
}

SINTER_INLINE Array permute(const Array& x, const Sizes& axes) {
  Array result = x;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<std::size_t>(axes[i]);
    result.shape[i] = x.shape[axis];
    result.strides[i] = x.strides[axis];
  }
  return result;
}

SINTER_INLINE Array expand(const Array& x, const Sizes& shape) {
  Array result = x;
  result.shape = shape;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (x.shape[axis] == 1) result.strides[axis] = 0;
  }
  return result;
}

SINTER_INLINE Array pad(const Array& x, const Sizes& low, const Sizes& high, const Constant& value,
                        Where where) {
  Sizes shape = x.shape;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) shape[axis] += low[axis] + high[axis];
  const Array result = make_dense(x.dtype, shape, where);
  copy(constant(value, shape, where), result);
  Array from = x, to = result;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const std::int64_t first =
        std::max<std::int64_t>(0, -low[axis]);  // first element of x that is kept
    const std::int64_t end = std::min(x.shape[axis], shape[axis] - low[axis]);
    from.offset += first * from.strides[axis];
    to.offset += (first + low[axis]) * to.strides[axis];
    from.shape[axis] = to.shape[axis] = std::max<std::int64_t>(0, end - first);
  }
  copy(from, to);
  return result;
}

SINTER_INLINE Array slice(const Array& x, const Sizes& start, const Sizes& step,
                          const Sizes& shape) {
  Array result = x;
  result.shape = shape;
  const bool empty = count(shape) == 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const std::int64_t last = start[axis] + (shape[axis] - 1) * step[axis];
    if (!empty && (start[axis] < 0 || last >= x.shape[axis] || step[axis] < 1)) {
      throw InternalError(text("slice from ", start[axis], " to ", last, " of axis ", axis,
                               " of extent ", x.shape[axis]));
    }
    result.offset += empty ? 0 : start[axis] * x.strides[axis];
    result.strides[axis] *= step[axis];
  }
  return result;
}

SINTER_INLINE Array unfold(const Array& x, std::int64_t axis, std::int64_t step,
                           std::int64_t dilation, const Sizes& shape) {
  Array result = x;
  const auto at = static_cast<std::size_t>(axis);
  const std::int64_t last = (shape[at] - 1) * step + (shape.back() - 1) * dilation;
  if (count(shape) != 0 && last >= x.shape[at]) {
    throw InternalError(text("windows to ", last, " of axis ", axis, " of extent ", x.shape[at]));
  }
  result.shape = shape;
  result.strides.push_back(x.strides[at] * dilation);
  result.strides[at] *= step;
  return result;
}

SINTER_INLINE Array flip(const Array& x, const Sizes& axes) {
  Array result = x;
  if (count(x.shape) == 0) return result;
  for (const std::int64_t number : axes) {
    const auto axis = static_cast<std::size_t>(number);
    result.offset += (x.shape[axis] - 1) * x.strides[axis];
    result.strides[axis] = -x.strides[axis];
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime::interpreter
