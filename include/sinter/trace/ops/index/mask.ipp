#pragma once

#include <cstdint>  // std::int64_t

#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/ops/creation/create.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/index/gather.hpp>
#include <sinter/trace/ops/index/mask.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/reduce/cumulative.hpp>
#include <sinter/trace/ops/sort/sort.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

SINTER_INLINE Tensor as_mask(const Operand& mask, std::string_view op, Where where) {
  if (mask.type().dtype == boolean) return mask.tensor();
  throw DTypeError({.op = op,
                    .what = "the mask is not boolean",
                    .facts = {{"mask", to_string(mask)}},
                    .rule = "mask.dtype() == boolean",
                    .fix = "compare: mask != 0",
                    .where = where,
                    .see = "indexing"});
}

// The operands, broadcast to a common shape.
SINTER_INLINE Tensor expanded_mask(const Operand& x, const Tensor& mask, std::string_view op) {
  const Operand operands[]{x, {mask, x.where}};
  return expand({mask, x.where}, broadcast_shapes(op, operands));
}

inline constexpr std::string_view reads_a_mask =
    "the number of selected elements is read on the host";
inline constexpr std::string_view way_around_a_mask =
    "use where(mask, x, y), masked_fill, or a capacity: masked_select(x, mask, capacity), "
    "nonzero(x, capacity)";

// Reports the reason for the graph break.
SINTER_INLINE void read_in_recording(const Tensor& mask, Where where) {
  if (current_body != 0) {
    throw GraphBreakError(
        {.op = "mask",
         .what = reads_a_mask,
         .facts = {{"mask", to_string(mask)}},
         .rule = "there are no elements while a branch, a loop or a batch is recorded",
         .fix = way_around_a_mask,
         .where = where,
         .see = "graph-breaks"});
  }
  const Recorder* const recorder = current_recorder();
  if (recorder == nullptr || recorder->host() == nullptr) return;
  const Lazy* const lazy = target_of(mask.lazy().get());
  if (lazy->recording != recorder->id() || lazy->evaluated()) return;
  recorder->host()->interrupt(
      {&mask, 1},
      {.reason = std::string(reads_a_mask), .where = where, .fix = std::string(way_around_a_mask)});
}

SINTER_INLINE Tensor positions_where(const Tensor& mask, Where where) {
  read_in_recording(mask, where);
  const auto* const holds = static_cast<const unsigned char*>(host_elements_of(mask, where));
  const std::size_t count_in_all = elements_of(mask, where).bytes();
  std::vector<std::int64_t> positions;
  for (std::size_t i = 0; i < count_in_all; ++i) {
    if (holds[i] != 0) positions.push_back(static_cast<std::int64_t>(i));
  }
  const auto count = static_cast<std::int64_t>(positions.size());
  return from_bytes(positions.data(), positions.size() * sizeof(std::int64_t), i64, {count}, where);
}

SINTER_INLINE Tensor numbers_where(const Tensor& mask, Where where) {
  const Tensor flat = cast({reshape({mask, where}, {-1}), where}, i64);
  const Tensor up_to = cumsum({flat, where}, 0);
  return reshape({mul({sub({up_to, where}, {1, where}), where}, {flat, where}), where},
                 mask.shape());
}

// The positions of the first `capacity` true elements in the flattened mask, padded with
// `mask.numel()`.
SINTER_INLINE Tensor first_positions(const Tensor& mask, Extent capacity, Where where) {
  const Tensor flat = reshape({mask, where}, {-1});
  const Extent size = flat.shape()[0];
  // Elements that are not selected, or do not fit, are written to an extra last place.
  const Tensor number = numbers_where(flat, where);
  const Tensor fits = logical_and({flat, where}, {lt({number, where}, {capacity, where}), where});
  const Tensor place = sinter::where({fits, where}, {number, where}, {capacity, where});
  const Tensor distance = sub({arange(size, where), where}, {size, where});
  const Tensor start = full({capacity + 1}, {size, where}, i64);
  const Tensor filled = accumulate(start, 0, place, distance, where);
  return slice({filled, where}, 0, 0, capacity);
}

SINTER_INLINE Operand as_condition(const Operand& x) {
  return x.type().dtype == boolean ? x : Operand(ne(x, {0, x.where}), x.where);
}

// The position along each axis of positions in the flattened tensor.
SINTER_INLINE std::vector<Tensor> unraveled(Tensor flat, const Shape& shape, Where where) {
  std::vector<Tensor> result(static_cast<std::size_t>(shape.size()));
  for (int axis = shape.size() - 1; axis >= 0; --axis) {
    Tensor& along = result[static_cast<std::size_t>(axis)];
    const Extent extent = max(Extent(1), shape[axis]);  // avoids division by 0
    along = axis == 0 ? flat : remainder({flat, where}, {extent, where});
    if (axis > 0) flat = floor_divide({flat, where}, {extent, where});
  }
  return result;
}

// One row for each position: the numbers along each axis.
SINTER_INLINE Tensor rows_of_positions(const Tensor& flat, const Shape& shape, Where where) {
  const Extent count = flat.shape()[0], rank = shape.size();
  Tensor result = zeros({count, rank}, i64, where);
  const std::vector<Tensor> lists = unraveled(flat, shape, where);
  for (std::size_t axis = 0; axis < lists.size(); ++axis) {
    const Tensor is_axis = eq({arange(rank, where), where}, {axis, where});
    result = sinter::where({is_axis, where}, {unsqueeze({lists[axis], where}, 1), where},
                           {result, where});
  }
  return result;
}

}  // namespace detail

SINTER_INLINE Tensor masked_fill(Operand x, Operand mask, Operand value) {
  const detail::PublicCall call("masked_fill", x.where);
  const Where at = x.where;
  const Tensor holds =
      detail::expanded_mask(x, detail::as_mask(mask, "masked_fill", at), "masked_fill");
  const Tensor tensor = expand(x, holds.shape());
  const Tensor filled = detail::fit_value(value, tensor, tensor.shape(), "masked_fill", at);
  return where({holds, at}, {filled, at}, {tensor, at});
}

SINTER_INLINE Tensor masked_select(Operand x, Operand mask) {
  const detail::PublicCall call("masked_select", x.where);
  const Where at = x.where;
  const Tensor holds =
      detail::expanded_mask(x, detail::as_mask(mask, "masked_select", at), "masked_select");
  const Tensor flat = reshape({expand(x, holds.shape()), at}, {-1});
  return index_select({flat, at}, 0, {detail::positions_where(holds, at), at});
}

SINTER_INLINE Tensor masked_select(Operand x, Operand mask, Extent capacity, Operand fill) {
  const detail::PublicCall call("masked_select", x.where);
  const Where at = x.where;
  detail::require_sizes({capacity}, "masked_select", at);
  const Tensor holds =
      detail::expanded_mask(x, detail::as_mask(mask, "masked_select", at), "masked_select");
  const Tensor flat = reshape({expand(x, holds.shape()), at}, {-1});
  const Tensor last = detail::fit_value(fill, flat, {1}, "masked_select", at);
  const Tensor filled = pad({flat, at}, {{0, 1}}, {0, at});
  const Tensor is_last = eq({arange(filled.shape()[0], at), at}, {flat.shape()[0], at});
  const Tensor ended = where({is_last, at}, {last, at}, {filled, at});
  return index_select({ended, at}, 0, {detail::first_positions(holds, capacity, at), at});
}

SINTER_INLINE Tensor masked_scatter(Operand x, Operand mask, Operand source) {
  const detail::PublicCall call("masked_scatter", x.where);
  const Where at = x.where;
  const Tensor holds =
      detail::expanded_mask(x, detail::as_mask(mask, "masked_scatter", at), "masked_scatter");
  const Tensor tensor = expand(x, holds.shape());
  const Tensor flat = detail::cast({reshape({source.tensor(), at}, {-1}), at}, tensor.dtype());
  // An extra element, read where nothing is replaced, so that the source is not empty.
  const Tensor from = pad({flat, at}, {{1, 0}}, {0, at});
  const Tensor number = add({detail::numbers_where(holds, at), at}, {1, at});
  const Tensor chosen = where({holds, at}, {number, at}, {0, at});
  return where({holds, at}, {index_select({from, at}, 0, {chosen, at}), at}, {tensor, at});
}

SINTER_INLINE Tensor nonzero(Operand x) {
  const detail::PublicCall call("nonzero", x.where);
  const Where at = x.where;
  const Shape shape = x.shape();
  const Tensor mask = detail::as_condition(x).tensor();
  return detail::rows_of_positions(detail::positions_where(mask, at), shape, at);
}

SINTER_INLINE Tensor nonzero(Operand x, Extent capacity, Operand fill) {
  const detail::PublicCall call("nonzero", x.where);
  const Where at = x.where;
  detail::require_sizes({capacity}, "nonzero", at);
  const Shape shape = x.shape();
  const Tensor mask = detail::as_condition(x).tensor();
  const Tensor flat = detail::first_positions(mask, capacity, at);
  const Tensor rows = detail::rows_of_positions(flat, shape, at);
  const Tensor is_left = eq({unsqueeze({flat, at}, 1), at}, {mask.numel(), at});
  const Tensor filled = detail::fit_value(fill, rows, rows.shape(), "nonzero", at);
  return where({is_left, at}, {filled, at}, {rows, at});
}

SINTER_INLINE std::vector<Tensor> where(Operand condition) {
  const detail::PublicCall call("where", condition.where);
  const Where at = condition.where;
  if (condition.shape().empty()) condition = {reshape(condition, {1}), at};
  const Shape shape = condition.shape();
  const Tensor mask = detail::as_condition(condition).tensor();
  return detail::unraveled(detail::positions_where(mask, at), shape, at);
}

}  // namespace sinter::inline SINTER_ABI
