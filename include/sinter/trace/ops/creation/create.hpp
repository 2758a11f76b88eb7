#pragma once
// Creation of tensors from constants or from host memory.

#include <concepts>  // std::same_as
#include <optional>  // std::optional
#include <span>      // std::span
#include <vector>    // std::vector

#include <sinter/config.hpp>
#include <sinter/trace/core/record.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

Tensor zeros(Shape shape, DType dtype = f32, Where where = Where::current());
Tensor ones(Shape shape, DType dtype = f32, Where where = Where::current());
/// Unspecified content; zeros in this version.
Tensor empty(Shape shape, DType dtype = f32, Where where = Where::current());
/// `value` in every element. Default dtype: f32 for floating numbers, i64 for integers.
Tensor full(Shape shape, Operand value);
Tensor full(Shape shape, Operand value, DType dtype);
/// With the shape of `x`, and its dtype unless another one is given.
Tensor zeros_like(Operand x, std::optional<DType> dtype = {});
Tensor ones_like(Operand x, std::optional<DType> dtype = {});
Tensor empty_like(Operand x, std::optional<DType> dtype = {});
Tensor full_like(Operand x, Operand value, std::optional<DType> dtype = {});

/// 0, 1, ... below `stop`; i64.
Tensor arange(Extent stop, Where where = Where::current());

namespace detail {

/// start, start + 1, ... below `stop`; empty unless start < stop. i64.
Tensor arange_between(Extent start, Extent stop, Where where);

}  // namespace detail

/// start, start + step, ... before stop. DTypes: i64 if all three are integers, else f32.
Tensor arange(Operand start, Operand stop, Operand step = 1);
Tensor arange(Operand start, Operand stop, Operand step, DType dtype);
/// 0, 1, ... before a floating number; f32.
template <std::floating_point T>
Tensor arange(T stop, Where where = Where::current()) {
  return arange({0, where}, {stop, where}, {1, where});
}
/// The same for a Scalar, which is read on the host.
template <std::same_as<Scalar> T>
Tensor arange(const T& stop, Where where = Where::current()) {
  if (!detail::is_floating(stop.dtype())) {
    return arange(Extent(stop.tensor().to(i64).template item<std::int64_t>(where)), where);
  }
  return arange(stop.tensor().to(f64).template item<double>(where), where);
}
/// `steps` evenly spaced numbers from `start` to `stop`, both included.
///
/// DTypes   start and stop are numbers of the program, or tensors of rank 0
/// Throws   ShapeError for a negative number of steps, or tensors of another rank
/// Gradient for start and stop
Tensor linspace(Operand start, Operand stop, Extent steps, DType dtype = f32);
/// base ^ linspace(start, stop, steps).
Tensor logspace(Operand start, Operand stop, Extent steps, double base = 10, DType dtype = f32);
/// start, start + 1, ... below a symbolic size; i64.
template <std::same_as<Extent> T>
Tensor arange(const detail::LocatedExtent& start, const T& stop) {
  return detail::arange_between(start.value, stop, start.where);
}
/// The matrix with ones on its diagonal, (n, n) or (n, m).
Tensor eye(Extent n, DType dtype = f32, Where where = Where::current());
Tensor eye(Extent n, Extent m, DType dtype = f32, Where where = Where::current());
/// 1 at the index, else 0: shape (..., classes), i64. A row of zeros for an index out of range.
///
/// Throws   DTypeError unless the indices are integers
Tensor one_hot(Operand indices, Extent classes);

namespace detail {

/// Throws ShapeError if an extent is negative.
void require_sizes(const Shape& shape, std::string_view op, Where where);
/// The sizes of a new tensor, with symbols where the recording in progress has them. Throws as
/// require_sizes does.
Shape new_sizes(const Shape& shape, std::string_view op, Where where);
/// Throws as view does.
void require_memory(const void* memory, const Shape& shape, Where where);
/// Throws ShapeError unless `count` elements fill `shape`.
void require_count(const Shape& shape, std::size_t count, std::string_view op, Where where);
/// `shape` with each extent as a number (value()): existing elements have a fixed count.
Shape fixed_sizes(const Shape& shape, Where where);
/// fixed_sizes(), or `shape` as it is if may_vary_in_recording().
Shape sizes_of_made(const Shape& shape, Where where);

}  // namespace detail

/// A tensor with a copy of `elements`, in row-major order.
///
/// Throws ShapeError unless their number is that of the shape.
template <ElementType T>
Tensor from_span(std::span<const T> elements, Shape shape, Where where = Where::current()) {
  shape = detail::sizes_of_made(shape, where);
  detail::require_count(shape, elements.size(), "from_span", where);
  return detail::from_bytes(elements.data(), elements.size_bytes(), dtype_of<T>, shape, where);
}

/// A tensor with a copy of `elements`, in row-major order.
template <ElementType T>
Tensor from_vector(const std::vector<T>& elements, Shape shape, Where where = Where::current()) {
  shape = detail::sizes_of_made(shape, where);
  detail::require_count(shape, elements.size(), "from_vector", where);
  if constexpr (std::is_same_v<T, bool>) {
    const std::vector<unsigned char> bytes(elements.begin(), elements.end());
    return detail::from_bytes(bytes.data(), bytes.size(), boolean, shape, where);
  } else {
    return detail::from_bytes(elements.data(), elements.size() * sizeof(T), dtype_of<T>, shape,
                              where);
  }
}

/// A tensor that refers to the user's memory, without a copy. The memory is never written; it must
/// stay valid and unchanged until every computation that reads it has run.
///
/// Throws   ShapeError if an extent is negative; ValueError for null, unless there are no elements
template <ElementType T>
Tensor view(const T* memory, Shape shape, Where where = Where::current()) {
  shape = detail::fixed_sizes(shape, where);
  detail::require_memory(memory, shape, where);
  const auto count = static_cast<std::size_t>(numel(shape).number());
  return Tensor(detail::make_evaluated({dtype_of<T>, shape},
                                       detail::Storage::borrow(memory, count * sizeof(T))));
}

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/ops/creation/create.ipp>
#endif
