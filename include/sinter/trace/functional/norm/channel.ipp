#pragma once

#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/core/record.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/core/size_value.hpp>
#include <sinter/trace/functional/norm/channel.hpp>
#include <sinter/trace/functional/norm/moments.hpp>
#include <sinter/trace/functional/norm/normalize.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/movement/window.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

SINTER_INLINE Moments moments(const Operand& wide, const std::vector<int>& axes) {
  const Tensor center = mean(wide, axes, true);
  const Tensor distance = sub(wide, {center, wide.where});
  return {center, mean({square({distance, wide.where}), wide.where}, axes, true)};
}

SINTER_INLINE void require_several(const Operand& x, Extent count, std::string_view op) {
  if (at_least(count, 2, x.where)) return;
  const bool is_empty = same(concrete({count})[0], Extent(0));
  throw ValueError({.op = op,
                    .what = is_empty ? "a channel has no elements, and so no mean and no variance"
                                     : "a channel has one element, whose variance is 0",
                    .facts = {{"x", to_string(x)}},
                    .rule = "while a model is trained, each channel has at least 2 elements",
                    .fix = is_empty ? "leave out batches of no samples, or call eval(model)"
                                    : "use a larger batch, or eval(model)",
                    .where = x.where,
                    .see = "norms"});
}

// Updates the running statistics with those of `x`, each over `count` elements; instances are
// averaged.
SINTER_INLINE void update_statistics(const Operand& wide, const Moments& own, Extent count,
                                     const RunningStatistic& mean, const RunningStatistic& var,
                                     const Operand& momentum) {
  const Where at = wide.where;
  const DType dtype = own.mean.dtype();
  const Tensor factor =
      div({size_value(count, dtype, at), at}, {size_value(count - 1, dtype, at), at});
  const auto of_channels = [&](const Tensor& kept) {
    const Tensor matrix = reshape({kept, at}, {kept.shape()[0], kept.shape()[1]});
    return sinter::mean({matrix, at}, 0);
  };
  const Tensor unbiased = mul({own.variance, at}, {factor, at});
  move_towards(mean, of_channels(own.mean), momentum, at);
  move_towards(var, of_channels(unbiased), momentum, at);
}

SINTER_INLINE Tensor norm_over(const Operand& x, const std::vector<int>& axes,
                               const RunningStatistic& mean, const RunningStatistic& var,
                               bool training, const Operand& momentum, double eps,
                               std::string_view op) {
  require_statistics(x, mean, var, training, op);
  const Operand wide = as_wide(x);
  if (!training && mean.is_given()) {
    return standardized(wide, {as_column(mean.value(), x), as_column(var.value(), x)}, eps);
  }
  const Extent count = count_of(x.shape(), axes);
  if (training) require_several(x, count, op);
  const Moments own = moments(wide, axes);
  if (mean.is_given()) update_statistics(wide, own, count, mean, var, momentum);
  return standardized(wide, own, eps);
}

}  // namespace detail

SINTER_INLINE Tensor batch_norm(Operand x, detail::RunningStatistic running_mean,
                                detail::RunningStatistic running_var, std::optional<Operand> weight,
                                std::optional<Operand> bias, bool training, Operand momentum,
                                double eps) {
  const detail::PublicCall call("batch_norm", x.where);
  detail::require_rank(x, 2, "batch_norm");
  std::vector<int> axes{0};
  for (int axis = 2; axis < x.shape().size(); ++axis) axes.push_back(axis);
  const Tensor normal =
      detail::norm_over(x, axes, running_mean, running_var, training, momentum, eps, "batch_norm");
  return detail::scaled_channels(normal, x, weight, bias, "batch_norm");
}

SINTER_INLINE Tensor instance_norm(Operand x, detail::RunningStatistic running_mean,
                                   detail::RunningStatistic running_var,
                                   std::optional<Operand> weight, std::optional<Operand> bias,
                                   bool use_input_stats, Operand momentum, double eps) {
  const detail::PublicCall call("instance_norm", x.where);
  detail::require_rank(x, 3, "instance_norm");
  std::vector<int> axes;
  for (int axis = 2; axis < x.shape().size(); ++axis) axes.push_back(axis);
  const Tensor normal = detail::norm_over(x, axes, running_mean, running_var, use_input_stats,
                                          momentum, eps, "instance_norm");
  return detail::scaled_channels(normal, x, weight, bias, "instance_norm");
}

SINTER_INLINE Tensor group_norm(Operand x, std::int64_t num_groups, std::optional<Operand> weight,
                                std::optional<Operand> bias, double eps) {
  const detail::PublicCall call("group_norm", x.where);
  const Where at = x.where;
  detail::require_rank(x, 2, "group_norm");
  const Shape shape = x.shape();
  if (num_groups < 1 || !detail::equal_sizes(mod(shape[1], num_groups), 0, at)) {
    throw ShapeError({.op = "group_norm",
                      .what = "the groups do not divide the channels",
                      .facts = {{"x", to_string(x)}, {"groups", detail::text(num_groups)}},
                      .rule = "num_groups >= 1 and channels % num_groups == 0",
                      .fix = "use a number of groups that divides the channels",
                      .where = at,
                      .see = "norms"});
  }
  Extent inner = floor_div(shape[1], num_groups);
  for (int axis = 2; axis < shape.size(); ++axis) inner *= shape[axis];
  const Operand wide = detail::as_wide(x);
  const Tensor groups = reshape(wide, {shape[0], num_groups, inner});
  const Tensor normal = detail::standardized({groups, at}, std::vector<int>{-1}, eps);
  return detail::scaled_channels(reshape({normal, at}, shape), x, weight, bias, "group_norm");
}

SINTER_INLINE Tensor local_response_norm(Operand x, std::int64_t size, double alpha, double beta,
                                         double k) {
  const detail::PublicCall call("local_response_norm", x.where);
  const Where at = x.where;
  detail::require_rank(x, 3, "local_response_norm");
  const Operand wide = detail::as_wide(x);
  const Tensor squares = transpose({square(wide), at}, 1, -1);
  const detail::WindowAxis window{.size = size, .low = size / 2, .high = (size - 1) / 2};
  const Tensor taken = detail::windows(squares, {window}, detail::constant(0, squares.dtype()),
                                       "local_response_norm", at);
  const Tensor means = transpose({mean({taken, at}, -1), at}, 1, -1);
  const Tensor base = add({mul({means, at}, {alpha, at}), at}, {k, at});
  return detail::as_narrow(div(wide, {pow({base, at}, {beta, at}), at}), x);
}

}  // namespace sinter::inline SINTER_ABI
