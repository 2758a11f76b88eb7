#pragma once

#include <vector>  // std::vector

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/core/record.hpp>
#include <sinter/trace/functional/pool/adaptive.hpp>
#include <sinter/trace/functional/pool/pool.hpp>
#include <sinter/trace/ops/creation/create.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/index/index.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

// The start and the length, (count), of each of `count` windows that cover `axis` evenly.
struct EvenWindows {
  Tensor start, size;
  Extent longest;
};

SINTER_INLINE EvenWindows even_windows(Extent extent, std::int64_t count, Where where) {
  const Tensor positions = arange(count, where);
  const auto scaled = [&](const Tensor& position, Extent more) {
    const Tensor product = mul({position, where}, {extent, where});
    return floor_divide({add({product, where}, {more, where}), where}, {count, where});
  };
  const Tensor start = scaled(positions, 0);
  const Tensor stop = scaled(positions, extent + (count - 1));
  return {start, sub({stop, where}, {start, where}), ceil_div(extent, count) + 1};
}

// The windows of `x` along `axis` as a new last axis, `empty` where they are shorter than the
// longest.
SINTER_INLINE Tensor gather_windows(const Tensor& x, int axis, const EvenWindows& even,
                                    Constant empty, Where where) {
  const Tensor offsets = arange(even.longest, where);
  const Tensor start = unsqueeze({even.start, where}, -1), size = unsqueeze({even.size, where}, -1);
  const Tensor position = add({start, where}, {offsets, where});
  const Tensor last = sub({x.shape()[axis], where}, {1, where});
  const Tensor inside = minimum({position, where}, {last, where});
  const Tensor taken = index_select({x, where}, axis, {inside, where});
  const Tensor is_in = lt({offsets, where}, {size, where});  // (count, longest)
  Shape shape;
  for (int i = 0; i < taken.ndim(); ++i) {
    shape.push_back(i == axis || i == axis + 1 ? taken.shape()[i] : Extent(1));
  }
  const Tensor mask = reshape({is_in, where}, shape);
  const Tensor filler = constant_tensor(empty, {x.dtype(), {}}, where);
  const Tensor masked = sinter::where({mask, where}, {taken, where}, {filler, where});
  std::vector<int> order;
  for (int i = 0; i < masked.ndim(); ++i) {
    if (i != axis + 1) order.push_back(i);
  }
  order.push_back(axis + 1);
  return permute({masked, where}, order);
}

// The common length of the `count` windows of an axis; nothing if lengths may differ.
SINTER_INLINE Optional<Extent> equal_window(Extent extent, std::int64_t count) {
  if (count == 1) return extent;
  const bool divides = count > 1 && extent.is_number() && extent.number() % count == 0;
  return divides ? Optional<Extent>(extent.number() / count) : std::nullopt;
}

// Averages all spatial axes with windows of equal length in one reduction.
SINTER_INLINE Tensor means_of_equal_windows(const Tensor& x, Span<const std::int64_t> counts,
                                            Where where) {
  Shape shape{x.shape()[0], x.shape()[1]};
  std::vector<int> windows;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const Extent extent = settled(x.shape()[static_cast<int>(i) + 2], where);
    const Optional<Extent> window = equal_window(extent, counts[i]);
    shape.push_back(window ? Extent(counts[i]) : extent);
    if (!window) continue;
    windows.push_back(shape.size());
    shape.push_back(*window);
  }
  return windows.empty() ? x : mean({reshape({x, where}, shape), where}, windows);
}

SINTER_INLINE Tensor adaptive_mean(const Tensor& x, int axis, std::int64_t count, Where where) {
  const Extent extent = settled(x.shape()[axis], where);
  const EvenWindows even = even_windows(extent, count, where);
  const Tensor taken = gather_windows(x, axis, even, constant(0, x.dtype()), where);
  Shape column{count};
  for (int i = axis + 1; i < x.ndim(); ++i) column.push_back(1);
  const Tensor sizes = reshape({cast({even.size, where}, x.dtype()), where}, column);
  return div({sum({taken, where}, -1), where}, {sizes, where});
}

[[noreturn]] SINTER_INLINE void throw_empty_pool(std::string_view op, const Operand& x) {
  throw ShapeError({.op = op,
                    .what = "there is nothing to choose from",
                    .facts = {{"x", to_string(x)}},
                    .rule = "spatial axes have at least one element",
                    .fix = "leave out empty tensors",
                    .where = x.where});
}

enum class Adaptive : std::uint8_t { mean, max };

SINTER_INLINE Tensor adaptive_pool(std::string_view op, int axes, const Operand& x,
                                   const PerAxis& output_size, Adaptive kind) {
  const Where at = x.where;
  if (kind == Adaptive::mean) require_floating_pool(op, x);
  const auto sizes =
      per_axis(output_size, static_cast<std::size_t>(axes), 0, op, "output_size", at);
  const Tensor batch = with_batch_axis(x, axes, op);
  const DType dtype = batch.dtype();
  for (int axis = 2; axis < batch.ndim(); ++axis) {
    if (!at_least(batch.shape()[axis], 1, at)) throw_empty_pool(op, x);
  }
  Tensor result = batch;
  if (kind == Adaptive::mean) {
    result = means_of_equal_windows(cast({batch, at}, computed_in(dtype)), sizes, at);
  }
  // Last axis first, so that of several maxima the first in memory gets the gradient.
  for (int axis = axes + 1; axis >= 2; --axis) {
    const std::int64_t count = sizes[static_cast<std::size_t>(axis) - 2];
    const Extent extent = result.shape()[axis];
    if (extent.is_number() && extent.number() == count) continue;  // windows of one element
    if (count == 0) {
      result = slice({result, at}, axis, 0, 0);
    } else if (kind == Adaptive::mean) {
      result = adaptive_mean(result, axis, count, at);
    } else {
      const EvenWindows even = even_windows(result.shape()[axis], count, at);
      result = first_max(gather_windows(result, axis, even, lowest(dtype), at), 1, at);
    }
  }
  result = cast({result, at}, dtype);
  return x.shape().size() == axes + 1 ? squeeze({result, at}, 0) : result;
}

}  // namespace detail

SINTER_INLINE Tensor adaptive_avg_pool1d(Operand x, detail::PerAxis output_size) {
  const detail::PublicCall call("adaptive_avg_pool1d", x.where);
  return detail::adaptive_pool("adaptive_avg_pool1d", 1, x, output_size, detail::Adaptive::mean);
}
SINTER_INLINE Tensor adaptive_avg_pool2d(Operand x, detail::PerAxis output_size) {
  const detail::PublicCall call("adaptive_avg_pool2d", x.where);
  return detail::adaptive_pool("adaptive_avg_pool2d", 2, x, output_size, detail::Adaptive::mean);
}
SINTER_INLINE Tensor adaptive_avg_pool3d(Operand x, detail::PerAxis output_size) {
  const detail::PublicCall call("adaptive_avg_pool3d", x.where);
  return detail::adaptive_pool("adaptive_avg_pool3d", 3, x, output_size, detail::Adaptive::mean);
}
SINTER_INLINE Tensor adaptive_max_pool1d(Operand x, detail::PerAxis output_size) {
  const detail::PublicCall call("adaptive_max_pool1d", x.where);
  return detail::adaptive_pool("adaptive_max_pool1d", 1, x, output_size, detail::Adaptive::max);
}
SINTER_INLINE Tensor adaptive_max_pool2d(Operand x, detail::PerAxis output_size) {
  const detail::PublicCall call("adaptive_max_pool2d", x.where);
  return detail::adaptive_pool("adaptive_max_pool2d", 2, x, output_size, detail::Adaptive::max);
}
SINTER_INLINE Tensor adaptive_max_pool3d(Operand x, detail::PerAxis output_size) {
  const detail::PublicCall call("adaptive_max_pool3d", x.where);
  return detail::adaptive_pool("adaptive_max_pool3d", 3, x, output_size, detail::Adaptive::max);
}

}  // namespace sinter::inline SINTER_ABI
