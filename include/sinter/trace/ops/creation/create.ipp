#pragma once

#include <cmath>  // std::ceil

#include <sinter/device/host/copy.hpp>
#include <sinter/device/host/scoped_device.hpp>
#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/core/record.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/ops/creation/create.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/movement/movement.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

SINTER_INLINE void require_sizes(const Shape& shape, std::string_view op, Where where) {
  for (const Extent& extent : shape) {
    if (!is_less(extent, 0, where)) continue;
    throw ShapeError({.op = op,
                      .what = "an extent is negative",
                      .facts = {{"shape", to_string(shape)}},
                      .rule = "extents are at least 0",
                      .fix = "name the size; only reshape and expand know -1",
                      .where = where});
  }
}

SINTER_INLINE Shape new_sizes(const Shape& shape, std::string_view op, Where where) {
  require_sizes(shape, op, where);
  return sizes_in_recording(shape, where);
}

SINTER_INLINE Tensor fill(Shape shape, Constant value, DType dtype, std::string_view op,
                          Where where) {
  shape = new_sizes(shape, op, where);
  Tensor result = constant_tensor(value, {dtype, shape}, where);
  result.lazy()->make_in_scope();
  return result;
}

}  // namespace detail

SINTER_INLINE Tensor zeros(Shape shape, DType dtype, Where where) {
  const detail::PublicCall call("zeros", where);
  return detail::fill(shape, detail::constant(0), dtype, "zeros", where);
}
SINTER_INLINE Tensor ones(Shape shape, DType dtype, Where where) {
  const detail::PublicCall call("ones", where);
  return detail::fill(shape, detail::constant(1), dtype, "ones", where);
}
SINTER_INLINE Tensor empty(Shape shape, DType dtype, Where where) {
  const detail::PublicCall call("empty", where);
  return detail::fill(shape, detail::constant(0), dtype, "empty", where);
}

SINTER_INLINE Tensor full(Shape shape, Operand value) {
  const detail::PublicCall call("full", value.where);
  const DType dtype = value.type().dtype;
  return full(shape, value, value.is_number() && detail::is_floating(dtype) ? f32 : dtype);
}

SINTER_INLINE Tensor full(Shape shape, Operand value, DType dtype) {
  const detail::PublicCall call("full", value.where);
  shape = detail::new_sizes(shape, "full", value.where);
  const auto* const number = value.value.get_if<detail::Constant>();
  const bool is_integral =
      number != nullptr && detail::is_integer(number->dtype) && detail::is_integer(dtype);
  if (is_integral && sinter::detail::cast(*number, dtype).integer() != number->integer()) {
    throw ValueError({.op = "full",
                      .what = detail::text(dtype, " does not hold the number"),
                      .facts = {{"value", detail::text(*number)}, {"dtype", detail::text(dtype)}},
                      .rule = "the number is one of the dtype",
                      .fix = "choose a wider dtype",
                      .where = value.where,
                      .see = "dtypes"});
  }
  Tensor result = detail::convert(value, {dtype, shape}, value.where);
  const bool is_new = number != nullptr || !shape.empty();
  if (is_new && !result.lazy()->evaluated()) result.lazy()->make_in_scope();
  return result;
}

SINTER_INLINE Tensor zeros_like(Operand x, std::optional<DType> dtype) {
  const detail::PublicCall call("zeros_like", x.where);
  return detail::placed_as(x, zeros(x.shape(), dtype.value_or(x.type().dtype), x.where));
}
SINTER_INLINE Tensor ones_like(Operand x, std::optional<DType> dtype) {
  const detail::PublicCall call("ones_like", x.where);
  return detail::placed_as(x, ones(x.shape(), dtype.value_or(x.type().dtype), x.where));
}
SINTER_INLINE Tensor empty_like(Operand x, std::optional<DType> dtype) {
  const detail::PublicCall call("empty_like", x.where);
  return detail::placed_as(x, empty(x.shape(), dtype.value_or(x.type().dtype), x.where));
}
SINTER_INLINE Tensor full_like(Operand x, Operand value, std::optional<DType> dtype) {
  const detail::PublicCall call("full_like", x.where);
  Tensor result = full(x.shape(), value, dtype.value_or(x.type().dtype));
  return value.value.is<detail::Constant>() ? detail::placed_as(x, std::move(result)) : result;
}

SINTER_INLINE Tensor arange(Extent stop, Where where) {
  const detail::PublicCall call("arange", where);
  stop = detail::new_sizes({stop}, "arange", where)[0];
  return detail::record({.op = detail::Op::iota,
                         .attributes = {{"axis", detail::constant(0)}},
                         .results = {{i64, {stop}}}},
                        {}, where);
}

namespace detail {

SINTER_INLINE Tensor arange_between(Extent start, Extent stop, Where where) {
  const PublicCall call("arange", where);
  const Tensor positions = arange(max(Extent(0), stop - start), where);
  return same(start, Extent(0)) ? positions : add({positions, where}, {start, where});
}

}  // namespace detail

SINTER_INLINE Tensor arange(Operand start, Operand stop, Operand step) {
  const detail::PublicCall call("arange", start.where);
  bool is_floating = false;
  for (const Operand* operand : {&start, &stop, &step}) {
    is_floating |= sinter::detail::is_floating(operand->type().dtype);
  }
  return arange(start, stop, step, is_floating ? f32 : i64);
}

namespace detail {

SINTER_INLINE Extent arange_count(double start, double stop, double step, Where at) {
  if (step == 0) {
    throw ValueError({.op = "arange",
                      .what = "the step is 0",
                      .rule = "step != 0",
                      .fix = "leave it out for 1, or use full for equal elements",
                      .where = at});
  }
  const double count = std::ceil((stop - start) / step);
  if (count < 0x1p47) return count > 0 ? static_cast<std::int64_t>(count) : 0;
  throw ValueError({.op = "arange",
                    .what = "there are too many elements",
                    .facts = {{"start", text(start)}, {"stop", text(stop)}, {"step", text(step)}},
                    .rule = "start, stop and step are finite, and the elements fit into memory",
                    .fix = "take a larger step",
                    .where = at});
}

}  // namespace detail

SINTER_INLINE Tensor arange(Operand start, Operand stop, Operand step, DType dtype) {
  const detail::PublicCall call("arange", start.where);
  const Where at = start.where;
  double numbers[3];
  bool is_integral = true;
  for (int i = 0; const Operand* operand : {&start, &stop, &step}) {
    const auto* number = operand->value.get_if<detail::Constant>();
    if (number == nullptr) {
      throw ValueError({.op = "arange",
                        .what = "start, stop and step are numbers of the program",
                        .facts = {{"found", to_string(*operand)}},
                        .rule = "the number of elements is known when the program is recorded",
                        .fix = "scale the positions: arange(n) * step + start",
                        .where = at});
    }
    const bool floating = detail::is_floating(number->dtype);
    numbers[i++] = floating ? number->floating() : static_cast<double>(number->integer());
    is_integral &= !floating;
  }
  Tensor positions = arange(detail::arange_count(numbers[0], numbers[1], numbers[2], at), at);
  if (!is_integral) positions = detail::cast({positions, at}, f64);  // rounded once, as in torch
  const Tensor scaled = mul({positions, at}, step);
  return detail::cast({add({scaled, at}, start), at}, dtype);
}

namespace detail {

// A number or a tensor of rank 0, in `dtype`.
SINTER_INLINE Operand end_of(const Operand& end, DType dtype) {
  if (!end.shape().empty()) {
    throw ShapeError({.op = "linspace",
                      .what = "start and stop have no axes",
                      .facts = {{"found", to_string(end)}},
                      .rule = "numbers, or tensors of rank 0",
                      .fix = "take one element: start[0]",
                      .where = end.where});
  }
  return {convert(end, {dtype, {}}, end.where), end.where};
}

}  // namespace detail

// Computed from the nearer end, so that both ends are exact.
SINTER_INLINE Tensor linspace(Operand start, Operand stop, Extent steps, DType dtype) {
  const detail::PublicCall call("linspace", start.where);
  const Where at = start.where;
  steps = detail::new_sizes({steps}, "linspace", at)[0];
  const DType wide = dtype == f64 || !detail::is_floating(dtype) ? f64 : f32;
  const Operand first = detail::end_of(start, wide), last = detail::end_of(stop, wide);
  const Tensor position = arange(steps, at);
  const Operand index{detail::cast({position, at}, wide), at};
  const Operand left{sub({steps - 1, at}, {position, at}), at};
  const Operand count{detail::size_value(max(steps - 1, Extent(1)), wide, at), at};
  const Operand step{div({sub(last, first), at}, count), at};
  const Tensor up = add(first, {mul(step, index), at});
  const Tensor down = sub(last, {mul(step, {detail::cast(left, wide), at}), at});
  const Tensor is_first = lt({position, at}, {max(floor_div(steps, 2), Extent(1)), at});
  return detail::cast({where({is_first, at}, {up, at}, {down, at}), at}, dtype);
}

SINTER_INLINE Tensor logspace(Operand start, Operand stop, Extent steps, double base, DType dtype) {
  const detail::PublicCall call("logspace", start.where);
  const Where at = start.where;
  const DType wide = dtype == f64 || !detail::is_floating(dtype) ? f64 : f32;
  const Tensor powers = pow({base, at}, {linspace(start, stop, steps, wide), at});
  return detail::cast({powers, at}, dtype);
}

SINTER_INLINE Tensor eye(Extent n, DType dtype, Where where) {
  const detail::PublicCall call("eye", where);
  return eye(n, n, dtype, where);
}

SINTER_INLINE Tensor eye(Extent n, Extent m, DType dtype, Where where) {
  const detail::PublicCall call("eye", where);
  detail::require_sizes({n, m}, "eye", where);
  const Tensor rows = arange(n, where), columns = arange(m, where);
  const Tensor equal = eq({columns, where}, {unsqueeze({rows, where}, 1), where});
  return detail::cast({equal, where}, dtype);
}

SINTER_INLINE Tensor one_hot(Operand indices, Extent classes) {
  const detail::PublicCall call("one_hot", indices.where);
  const Where at = indices.where;
  if (!detail::is_integer(indices.type().dtype)) {
    throw DTypeError({.op = "one_hot",
                      .what = "the indices are not integers",
                      .facts = {{"indices", to_string(indices)}},
                      .rule = "integers; classes are counted from 0",
                      .fix = "convert them: indices.to(i64)",
                      .where = at,
                      .see = "dtypes"});
  }
  detail::require_sizes({classes}, "one_hot", at);
  const Tensor equal = eq({unsqueeze(indices, -1), at}, {arange(classes, at), at});
  return detail::cast({equal, at}, i64);
}

namespace detail {

SINTER_INLINE Shape fixed_sizes(const Shape& shape, Where where) {
  Shape result;
  for (const Extent& extent : shape) result.push_back(extent.value(where), where);
  return result;
}

SINTER_INLINE Shape sizes_of_made(const Shape& shape, Where where) {
  return may_vary_in_recording() ? shape : fixed_sizes(shape, where);
}

SINTER_INLINE void require_count(const Shape& shape, std::size_t count, std::string_view op,
                                 Where where) {
  const Extent size = numel(concrete(shape));
  if (size.is_number() && size.number() == static_cast<std::int64_t>(count)) return;
  throw ShapeError({.op = op,
                    .what = "the elements do not fill the shape",
                    .facts = {{"elements", text(count)}, {"shape", to_string(shape)}},
                    .rule = text("the shape has ", size, " elements"),
                    .fix = "name the shape of the elements, and broadcast or reshape afterwards",
                    .where = where});
}

SINTER_INLINE void require_memory(const void* memory, const Shape& shape, Where where) {
  require_sizes(shape, "view", where);
  if (memory != nullptr || numel(shape).value(where) == 0) return;
  throw ValueError({.op = "view",
                    .what = "there is no memory",
                    .facts = {{"shape", to_string(shape)}, {"memory", "null"}},
                    .rule = "memory that holds all elements of the shape",
                    .fix = "use empty or zeros for memory of the tensor itself",
                    .where = where});
}

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI
