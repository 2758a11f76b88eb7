#pragma once

#include <cmath>     // HUGE_VAL
#include <limits>    // std::numeric_limits
#include <optional>  // std::optional
#include <utility>   // std::pair

#include <sinter/base/container/vector.hpp>
#include <sinter/graph/builder.hpp>
#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/core/record.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/functional/pool/pool.hpp>
#include <sinter/trace/ops/creation/create.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/movement/covering_windows.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>
#include <sinter/trace/transform/custom_gradient.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

// The lowest value of `dtype`, the identity of max.
SINTER_INLINE Constant lowest(DType dtype) {
  if (is_floating(dtype)) return constant(-HUGE_VAL, dtype);
  if (dtype == boolean || dtype == u8) return constant(0, dtype);
  const auto bits = static_cast<unsigned>(8 * info(dtype).size);
  return constant(std::numeric_limits<std::int64_t>::min() >> (64 - bits), dtype);
}

// g where an element is the first maximum over the last `count` axes, else 0.
SINTER_INLINE Graph first_max_gradient(const TensorType& type, const TensorType& reduced,
                                       const AxisList& axes) {
  Graph graph;
  Builder build(graph);
  const Value x = build.input(type);
  build.input(reduced);  // the maximum itself, unused
  const Value gradient = build.input(reduced);
  Shape kept = reduced.shape;
  for (std::size_t i = 0; i < axes.size(); ++i) kept.push_back(1);
  const auto repeat = [&](Value value) {
    return build.expand(build.reshape(value, kept), type.shape);
  };
  const TensorType positions{i64, type.shape};
  Value position = build.iota(positions, axes[0]);
  for (std::size_t i = 1; i < axes.size(); ++i) {
    const Extent size = type.shape[static_cast<int>(axes[i])];
    const Value stride = build.constant(constant(size.number()), positions);
    position = build.add(build.mul(position, stride), build.iota(positions, axes[i]));
  }
  const Value chosen = repeat(build.reduce(Op::argmax, x, axes));
  const Value is_chosen = build.elementwise(Op::eq, {position, chosen});
  const Value zero = build.constant(constant(0, type.dtype), type);
  graph.outputs = {build.select(is_chosen, repeat(gradient), zero)};
  return graph;
}

// The maximum over the last `count` axes; the first of equal maxima gets the whole gradient. For
// pools without a PoolCover.
SINTER_INLINE Tensor first_max(const Tensor& x, int count, Where where) {
  AxisList axes;
  for (int axis = x.ndim() - count; axis < x.ndim(); ++axis) axes.push_back(axis);
  const TensorType type{x.dtype(), resolved(x.shape())};
  Graph forward;
  Builder build(forward);
  forward.outputs = {build.reduce(Op::max, build.input(type), axes)};
  const TensorType reduced = forward.type(forward.outputs[0]);
  Node node{.op = Op::call};
  node.bodies.push_back(std::move(forward));
  if (is_floating(x.dtype())) node.bodies.push_back(first_max_gradient(type, reduced, axes));
  return record(std::move(node), {x}, where);
}

// The windows that cover each element of the input of a pool, as covering_windows() numbers them.
// In this form gradients have the shape (batch, channels, steps, step, ..., covering windows...),
// with steps and step for each spatial axis.
struct PoolCover {
  Vector<WindowAxis> axes{};  // of the pool
  Vector<CoveringWindows> covering{};
  Shape input{};
};

// Nothing if a size is not known, if windows are dilated, or with more than two spatial axes.
SINTER_INLINE std::optional<PoolCover> pool_cover(const Tensor& x, Vector<WindowAxis> axes,
                                                  std::string_view op, Where where) {
  const int spatial = static_cast<int>(axes.size());
  if (!is_floating(x.dtype()) || spatial > 2) return {};
  PoolCover result;
  result.input = x.shape();
  for (int i = 0; i < spatial; ++i) {
    WindowAxis& axis = axes[static_cast<std::size_t>(i)];
    const Extent size = settled(x.shape()[i - spatial], where);
    if (!size.is_number() || axis.dilation != 1) return {};
    const Extent count = window_count(axis, size, op, {x, where});
    if (!count.is_number()) return {};
    result.covering.push_back(covering_windows(axis, size.number(), count.number()));
  }
  result.axes = std::move(axes);
  return result;
}

// For each element, the values of `g`, which has one per window, of the windows that cover it:
// (batch, channels, steps, 1, ..., covering windows...).
SINTER_INLINE Tensor covering_of(const Tensor& g, const PoolCover& cover, std::string_view op,
                                 Where where) {
  Vector<WindowAxis> along;
  for (const CoveringWindows& one : cover.covering) along.push_back(one.axis);
  const Tensor taken = windows(g, along, constant(0, g.dtype()), op, where);
  Shape apart{g.shape()[0], g.shape()[1]};
  for (const CoveringWindows& one : cover.covering) {
    apart.push_back(one.steps), apart.push_back(1);
  }
  for (const WindowAxis& one : along) apart.push_back(one.size);
  return reshape({taken, where}, apart);
}

// For each residue along `axis` and each window that has such elements, the position of the element
// in the window; outside of 0 to its size if it is none. Broadcasts as covering_of() does.
SINTER_INLINE Tensor position_in_window(const PoolCover& cover, std::size_t axis, Where where) {
  const auto spatial = static_cast<int>(cover.axes.size());
  const CoveringWindows& one = cover.covering[axis];
  const std::int64_t step = cover.axes[axis].step, count = one.axis.size;
  const int at = 2 * static_cast<int>(axis) + 1, rank = 3 * spatial;
  Shape residues, taken;
  for (int i = 0; i < rank; ++i) {
    residues.push_back(i == at ? step : 1);
    taken.push_back(i == 2 * spatial + static_cast<int>(axis) ? count : 1);
  }
  const Tensor residue = reshape({arange(step, where), where}, residues);
  const Tensor window = reshape({arange(count, where), where}, taken);
  const Tensor back = mul({sub({count - 1, where}, {window, where}), where}, {step, where});
  const Tensor place = add({residue, where}, {back, where});
  return sub({place, where}, {one.skipped, where});
}

// Whether a covering window has the element, and the number of the element in the window.
SINTER_INLINE std::pair<Tensor, Tensor> element_of_window(const PoolCover& cover, Where where) {
  std::optional<Tensor> exists, number;
  for (std::size_t i = 0; i < cover.axes.size(); ++i) {
    const Tensor place = position_in_window(cover, i, where);
    const std::int64_t size = cover.axes[i].size;
    const Tensor inside = bitwise_and({ge({place, where}, {0, where}), where},
                                      {lt({place, where}, {size, where}), where});
    exists = exists ? bitwise_and({*exists, where}, {inside, where}) : inside;
    number = number ? add({mul({*number, where}, {size, where}), where}, {place, where}) : place;
  }
  return {*exists, *number};
}

// Sums over the covering windows, in the shape of the input.
SINTER_INLINE Tensor sum_of_covering(const Tensor& terms, const PoolCover& cover, Where where) {
  const int spatial = static_cast<int>(cover.axes.size());
  std::vector<int> taken;
  Shape whole{cover.input[0], cover.input[1]};
  for (std::size_t i = 0; i < cover.axes.size(); ++i) {
    const bool are_several = cover.covering[i].axis.size > 1;
    if (are_several) taken.push_back(static_cast<int>(i) - spatial);
    whole.push_back(cover.covering[i].steps * cover.axes[i].step);
  }
  const Tensor summed = taken.empty() ? terms : sum({terms, where}, taken);
  Tensor result = reshape({summed, where}, whole);
  for (int axis = 2; axis < whole.size(); ++axis) {
    if (same(whole[axis], settled(cover.input[axis], where))) continue;
    result = slice({result, where}, axis, 0, cover.input[axis]);
  }
  return result;
}

SINTER_INLINE AxisList last_axes(const Tensor& x, int count) {
  AxisList result;
  for (int axis = x.ndim() - count; axis < x.ndim(); ++axis) result.push_back(axis);
  return result;
}

SINTER_INLINE Tensor reduced(Op op, const Tensor& x, const AxisList& axes, DType dtype,
                             Where where) {
  Shape shape;
  for (int axis = 0; axis < x.ndim() - static_cast<int>(axes.size()); ++axis) {
    shape.push_back(x.shape()[axis]);
  }
  return record({.op = op, .attributes = {{"axes", axes}}, .results = {{dtype, shape}}}, {x},
                where);
}

// The maxima, and for the gradient the position of each in its window.
SINTER_INLINE Tensor max_with_position(const Tensor& x, const PoolCover& cover, std::string_view op,
                                       Where where) {
  const int spatial = static_cast<int>(cover.axes.size());
  std::int64_t elements = 1;
  for (const WindowAxis& axis : cover.axes) elements *= axis.size;
  const DType positions = elements <= 256 ? u8 : elements <= 32768 ? i16 : i32;
  const std::string name(op);
  const auto forward = [=](const Tensor& image) {
    const Tensor taken = windows(image, cover.axes, lowest(image.dtype()), name, where);
    const AxisList axes = last_axes(taken, spatial);
    const Tensor position = reduced(Op::argmax, taken, axes, i64, where);
    return std::pair{reduced(Op::max, taken, axes, image.dtype(), where),
                     cast({position, where}, positions)};
  };
  const auto backward = [=](const Tensor& image, const Tensor&, const Tensor& position,
                            const Tensor& g, const Tensor&) {
    PoolCover here = cover;
    here.input = image.shape();
    const auto [exists, number] = element_of_window(here, where);
    const Tensor wanted = sinter::where({exists, where}, {number, where}, {-1, where});
    const Tensor found = cast({covering_of(position, here, name, where), where}, i32);
    const Tensor is_largest = eq({found, where}, {cast({wanted, where}, i32), where});
    const Tensor taken = covering_of(g, here, name, where);
    const Tensor zero = constant_tensor(constant(0, g.dtype()), {g.dtype(), {}}, where);
    return sum_of_covering(sinter::where({is_largest, where}, {taken, where}, {zero, where}), here,
                           where);
  };
  return custom_gradient(forward, backward, where)(x).first;
}

// The sum of each window.
SINTER_INLINE Tensor window_sums(const Tensor& x, const Vector<WindowAxis>& axes,
                                 std::string_view op, Where where) {
  const int spatial = static_cast<int>(axes.size());
  const std::string name(op);
  const auto forward = [=](const Tensor& image) {
    const Tensor taken = windows(image, axes, constant(0, image.dtype()), name, where);
    std::vector<int> last;
    for (int axis = -spatial; axis < 0; ++axis) last.push_back(axis);
    return sum({taken, where}, last);
  };
  const auto cover = pool_cover(x, axes, op, where);
  if (!cover) return forward(x);
  const auto backward = [=](const Tensor& image, const Tensor&, const Tensor& g) {
    PoolCover here = *cover;
    here.input = image.shape();
    const Tensor taken = covering_of(g, here, name, where);
    const Tensor zero = constant_tensor(constant(0, g.dtype()), {g.dtype(), {}}, where);
    const Tensor exists = element_of_window(here, where).first;
    return sum_of_covering(sinter::where({exists, where}, {taken, where}, {zero, where}), here,
                           where);
  };
  return custom_gradient(forward, backward, where)(x);
}

// Shared by max and average pools.
struct PoolWindows {
  PerAxis kernel, stride, padding, dilation;
  bool ceil_mode = false;
};

SINTER_INLINE Vector<WindowAxis> pool_axes(std::string_view op, int axes,
                                           const PoolWindows& options, Where where) {
  const auto count = static_cast<std::size_t>(axes);
  const auto sizes = per_axis(options.kernel, count, 1, op, "kernel_size", where);
  const auto steps = options.stride.list().empty()
                         ? sizes
                         : per_axis(options.stride, count, 1, op, "stride", where);
  const auto padding = per_axis(options.padding, count, 0, op, "padding", where);
  const auto dilation = per_axis(options.dilation, count, 1, op, "dilation", where);
  Vector<WindowAxis> result;
  for (std::size_t i = 0; i < count; ++i) {
    result.push_back({.size = sizes[i],
                      .step = steps[i],
                      .dilation = dilation[i],
                      .low = padding[i],
                      .high = padding[i],
                      .rounds_up = options.ceil_mode});
    if (2 * padding[i] <= result[i].reach()) continue;
    throw ValueError({.op = op,
                      .what = "the padding is more than half of the window",
                      .facts = {{"padding", text(padding[i])}, {"window", text(result[i].reach())}},
                      .rule = "2 * padding <= dilation * (kernel_size - 1) + 1",
                      .fix = "pad the input before",
                      .where = where});
  }
  return result;
}

SINTER_INLINE Tensor max_pool(std::string_view op, int axes, const Operand& x,
                              const PerAxis& kernel, const MaxPoolOptions& options) {
  const Where at = x.where;
  const Tensor batch = with_batch_axis(x, axes, op);
  const auto list = pool_axes(
      op, axes, {kernel, options.stride, options.padding, options.dilation, options.ceil_mode}, at);
  const auto cover = pool_cover(batch, list, op, at);
  const Tensor result =
      cover ? max_with_position(batch, *cover, op, at)
            : first_max(windows(batch, list, lowest(batch.dtype()), op, at), axes, at);
  return x.shape().size() == axes + 1 ? squeeze({result, at}, 0) : result;
}

// The number of elements that count in each of `count` windows along an axis.
SINTER_INLINE Tensor counted(const WindowAxis& axis, Extent size, Extent count, bool include_pad,
                             Where where) {
  const std::int64_t padding = axis.low;
  const Tensor steps = mul({arange(count, where), where}, {axis.step, where});
  const Tensor start = sub({steps, where}, {padding, where});
  const Tensor stop = minimum({add({start, where}, {axis.size, where}), where},
                              {include_pad ? size + padding : size, where});
  const Tensor first = include_pad ? start : maximum({start, where}, {0, where});
  return sub({stop, where}, {first, where});
}

// The divisor of the window sums, which are along the last axes of `sums`.
SINTER_INLINE Tensor divisor(const Tensor& x, const Tensor& sums, const Vector<WindowAxis>& list,
                             const AveragePoolOptions& options, Where where) {
  Tensor result = constant_tensor(constant(1), {i64, {}}, where);
  if (options.divisor_override) {
    return constant_tensor(constant(*options.divisor_override), {sums.dtype(), {}}, where);
  }
  const int axes = static_cast<int>(list.size());
  for (int i = 0; i < axes; ++i) {
    const WindowAxis& axis = list[static_cast<std::size_t>(i)];
    const bool all_count = !axis.rounds_up && (options.count_include_pad || axis.low == 0);
    Tensor factor = constant_tensor(constant(axis.size), {i64, {}}, where);
    if (!all_count) {
      const Extent size = x.shape()[i - axes], count = sums.shape()[i - axes];
      Shape column{count};
      for (int behind = i + 1; behind < axes; ++behind) column.push_back(1);
      factor = counted(axis, size, count, options.count_include_pad, where);
      factor = reshape({factor, where}, column);
    }
    result = mul({result, where}, {factor, where});
  }
  return cast({result, where}, sums.dtype());
}

SINTER_INLINE void require_floating_pool(std::string_view op, const Operand& x) {
  if (is_floating(x.type().dtype)) return;
  throw DTypeError({.op = op,
                    .what = "the mean of integers is not an integer",
                    .facts = {{"x", to_string(x)}},
                    .rule = "x is of a floating dtype",
                    .fix = "cast it: x.to(f32)",
                    .where = x.where,
                    .see = "dtypes"});
}

// Integer division rounds towards zero.
SINTER_INLINE Tensor divided(const Tensor& sums, const Tensor& counts, Where where) {
  if (is_floating(sums.dtype())) return div({sums, where}, {counts, where});
  const Tensor quotient = floor_divide({abs({sums, where}), where}, {abs({counts, where}), where});
  const Tensor signs = mul({sign({sums, where}), where}, {sign({counts, where}), where});
  return mul({quotient, where}, {signs, where});
}

SINTER_INLINE Tensor average_pool(std::string_view op, int axes, const Operand& x,
                                  const PerAxis& kernel, const AveragePoolOptions& options) {
  const Where at = x.where;
  if (x.type().dtype != i64) require_floating_pool(op, x);
  if (options.divisor_override == 0) {
    throw ValueError({.op = op,
                      .what = "the divisor is 0",
                      .facts = {{"x", to_string(x)}},
                      .rule = "divisor_override is not 0",
                      .fix = "leave divisor_override out for a mean",
                      .where = at});
  }
  const Tensor batch = with_batch_axis(x, axes, op);
  const Tensor wide = cast({batch, at}, computed_in(batch.dtype()));
  const auto list =
      pool_axes(op, axes, {kernel, options.stride, options.padding, 1, options.ceil_mode}, at);
  const Tensor sums = window_sums(wide, list, op, at);
  const Tensor means = divided(sums, divisor(wide, sums, list, options, at), at);
  const Tensor result = cast({means, at}, batch.dtype());
  return x.shape().size() == axes + 1 ? squeeze({result, at}, 0) : result;
}

}  // namespace detail

SINTER_INLINE Tensor max_pool1d(Operand x, detail::PerAxis kernel_size, MaxPoolOptions options) {
  const detail::PublicCall call("max_pool1d", x.where);
  return detail::max_pool("max_pool1d", 1, x, kernel_size, options);
}
SINTER_INLINE Tensor max_pool2d(Operand x, detail::PerAxis kernel_size, MaxPoolOptions options) {
  const detail::PublicCall call("max_pool2d", x.where);
  return detail::max_pool("max_pool2d", 2, x, kernel_size, options);
}
SINTER_INLINE Tensor max_pool3d(Operand x, detail::PerAxis kernel_size, MaxPoolOptions options) {
  const detail::PublicCall call("max_pool3d", x.where);
  return detail::max_pool("max_pool3d", 3, x, kernel_size, options);
}
SINTER_INLINE Tensor avg_pool1d(Operand x, detail::PerAxis kernel_size,
                                AveragePoolOptions options) {
  const detail::PublicCall call("avg_pool1d", x.where);
  return detail::average_pool("avg_pool1d", 1, x, kernel_size, options);
}
SINTER_INLINE Tensor avg_pool2d(Operand x, detail::PerAxis kernel_size,
                                AveragePoolOptions options) {
  const detail::PublicCall call("avg_pool2d", x.where);
  return detail::average_pool("avg_pool2d", 2, x, kernel_size, options);
}
SINTER_INLINE Tensor avg_pool3d(Operand x, detail::PerAxis kernel_size,
                                AveragePoolOptions options) {
  const detail::PublicCall call("avg_pool3d", x.where);
  return detail::average_pool("avg_pool3d", 3, x, kernel_size, options);
}

}  // namespace sinter::inline SINTER_ABI
