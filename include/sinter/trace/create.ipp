#pragma once

#include <cmath>    // std::ceil
#include <cstring>  // std::memcpy

#include <sinter/trace/cast.hpp>
#include <sinter/trace/create.hpp>
#include <sinter/trace/elementwise.hpp>
#include <sinter/trace/movement.hpp>
#include <sinter/trace/record.hpp>
#include <sinter/trace/recorder.hpp>

namespace sinter::inline SINTER_ABI {

SINTER_INLINE void require_sizes(const Shape& shape, std::string_view op, Where where) {
  for (const Extent& extent : shape) {
    if (!extent.is_number() || extent.number() >= 0) continue;
    throw ShapeError({.op = std::string(op),
                      .what = "an extent is negative",
                      .facts = {{"shape", to_string(shape)}},
                      .rule = "extents are at least 0",
                      .fix = "name the size; only reshape and expand know -1",
                      .where = where});
  }
}

namespace detail {

SINTER_INLINE Tensor fill(Shape shape, Constant value, DType dtype, std::string_view op,
                          Where where) {
  require_sizes(shape, op, where);
  return constant_tensor(value, {dtype, shape}, where);
}

}  // namespace detail

SINTER_INLINE Tensor zeros(Shape shape, DType dtype, Where where) {
  return detail::fill(shape, constant(0), dtype, "zeros", where);
}
SINTER_INLINE Tensor ones(Shape shape, DType dtype, Where where) {
  return detail::fill(shape, constant(1), dtype, "ones", where);
}
SINTER_INLINE Tensor empty(Shape shape, DType dtype, Where where) {
  return detail::fill(shape, constant(0), dtype, "empty", where);
}

SINTER_INLINE Tensor full(Shape shape, Operand value) {
  const DType dtype = value.type().dtype;
  return full(shape, value, value.is_number() && is_floating(dtype) ? f32 : dtype);
}

SINTER_INLINE Tensor full(Shape shape, Operand value, DType dtype) {
  require_sizes(shape, "full", value.where);
  return convert(value, {dtype, shape}, value.where);
}

SINTER_INLINE Tensor zeros_like(Operand x) { return zeros(x.shape(), x.type().dtype, x.where); }
SINTER_INLINE Tensor ones_like(Operand x) { return ones(x.shape(), x.type().dtype, x.where); }
SINTER_INLINE Tensor full_like(Operand x, Operand value) {
  return full(x.shape(), value, x.type().dtype);
}

SINTER_INLINE Tensor arange(Extent stop, Where where) {
  require_sizes({stop}, "arange", where);
  return record({.op = Op::iota, .attributes = {{"axis", constant(0)}}, .results = {{i64, {stop}}}},
                {}, where);
}

SINTER_INLINE  /// start, start + 1, ... below `stop`; nothing if it is not above `start`. i64.
    Tensor
    arange_between(Extent start, Extent stop, Where where) {
  const Tensor positions = arange(max(Extent(0), stop - start), where);
  return same(start, Extent(0)) ? positions : add({positions, where}, {start, where});
}

SINTER_INLINE Tensor arange(Operand start, Operand stop, Operand step) {
  const Where at = start.where;
  double numbers[3];
  DType dtype = i64;
  for (int i = 0; const Operand* operand : {&start, &stop, &step}) {
    const auto* number = std::get_if<Constant>(&operand->value);
    if (number == nullptr) {
      throw ValueError({.op = "arange",
                        .what = "start, stop and step are numbers of the program",
                        .facts = {{"found", to_string(*operand)}},
                        .rule = "the number of elements is known when the program is recorded",
                        .fix = "scale the positions: arange(n) * step + start",
                        .where = at});
    }
    const bool floating = is_floating(number->dtype);
    numbers[i++] = floating ? number->floating() : static_cast<double>(number->integer());
    if (floating) dtype = f32;
  }
  if (numbers[2] == 0) {
    throw ValueError({.op = "arange",
                      .what = "the step is 0",
                      .rule = "step != 0",
                      .fix = "leave it out for 1, or use full for equal elements",
                      .where = at});
  }
  const double count = std::ceil((numbers[1] - numbers[0]) / numbers[2]);
  const Tensor positions = arange(Extent(count > 0 ? static_cast<std::int64_t>(count) : 0), at);
  const Tensor scaled = mul({cast({positions, at}, dtype), at}, step);
  return add({scaled, at}, start);
}

SINTER_INLINE Tensor eye(Extent n, DType dtype, Where where) {
  const Tensor row = arange(n, where);
  const Tensor equal = eq({row, where}, {unsqueeze({row, where}, 1), where});
  return cast({equal, where}, dtype);
}

SINTER_INLINE Tensor one_hot(Operand indices, Extent classes) {
  const Where at = indices.where;
  const Tensor equal = eq({unsqueeze(indices, -1), at}, {arange(classes, at), at});
  return cast({equal, at}, i64);
}

SINTER_INLINE void require_count(const Shape& shape, std::size_t count, std::string_view op,
                                 Where where) {
  const Extent size = numel(shape);
  if (size.is_number() && size.number() == static_cast<std::int64_t>(count)) return;
  throw ShapeError({.op = std::string(op),
                    .what = "the elements do not fill the shape",
                    .facts = {{"elements", text(count)}, {"shape", to_string(shape)}},
                    .rule = text("the shape has ", size, " elements"),
                    .fix = "name the shape of the elements, and broadcast or reshape afterwards",
                    .where = where});
}

SINTER_INLINE Tensor from_bytes(const void* memory, std::size_t bytes, DType dtype, Shape shape) {
  const Storage elements = Storage::allocate(bytes, cpu(), Where());
  if (bytes != 0) std::memcpy(elements.data(), memory, bytes);
  LazyRef lazy = make_evaluated({dtype, shape}, elements);
  if (Recorder* const recorder = current_recorder()) recorder->adopt(lazy);
  return Tensor(std::move(lazy));
}

}  // namespace sinter::inline SINTER_ABI
