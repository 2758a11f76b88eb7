#pragma once

#include <sinter/base/error.hpp>
#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/functional/norm/moments.hpp>
#include <sinter/trace/functional/norm/normalize.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/movement/movement.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE void require_channels(const Operand& x, const Tensor& given, std::string_view op,
                                    std::string name) {
  const Shape shape = x.shape(), channels = given.shape(x.where);
  if (channels.size() == 1 && equal_sizes(channels[0], shape[1], x.where)) return;
  throw ShapeError({.op = op,
                    .what = text("the ", name, " does not fit the channels"),
                    .facts = {{"x", to_string(x)}, {name, to_string(given)}},
                    .rule = text("x is (batch, channels, ...) and the ", name, " is (channels)"),
                    .fix = "permute x, so that the channels are axis 1",
                    .where = x.where,
                    .see = "norms"});
}

SINTER_INLINE void require_rank(const Operand& x, int least, std::string_view op) {
  if (x.shape().size() >= least) return;
  throw ShapeError({.op = op,
                    .what = "the input has too few axes",
                    .facts = {{"x", to_string(x)}},
                    .rule = text("x has at least ", least, " axes: batch, channels, ..."),
                    .fix = "unsqueeze the axes that are missing",
                    .where = x.where,
                    .see = "norms"});
}

SINTER_INLINE Tensor as_column(const Tensor& values, const Operand& x) {
  Shape shape{values.shape()[0]};
  for (int axis = 2; axis < x.shape().size(); ++axis) shape.push_back(1);
  return reshape({as_wide({values, x.where}).tensor(), x.where}, shape);
}

SINTER_INLINE Tensor scaled_channels(Tensor normal, const Operand& x,
                                     const std::optional<Operand>& weight,
                                     const std::optional<Operand>& bias, std::string_view op) {
  const Where at = x.where;
  if (weight) {
    require_channels(x, weight->tensor(), op, "weight");
    normal = mul({normal, at}, {as_column(weight->tensor(), x), at});
  }
  if (bias) {
    require_channels(x, bias->tensor(), op, "bias");
    normal = add({normal, at}, {as_column(bias->tensor(), x), at});
  }
  return as_narrow(normal, x);
}

SINTER_INLINE Tensor standardized(const Operand& wide, const Moments& moments, double eps) {
  const Where at = wide.where;
  const Tensor scale = rsqrt({add({moments.variance, at}, {eps, at}), at});
  return mul({sub(wide, {moments.mean, at}), at}, {scale, at});
}

SINTER_INLINE void move_towards(const RunningStatistic& running, const Tensor& own,
                                const Operand& momentum, Where where) {
  const Tensor& old = running.value();
  const Tensor fresh = cast({detach({own, where}), where}, old.dtype());
  const Operand rate = momentum.is_number()
                           ? momentum
                           : Operand(cast({momentum.tensor(), where}, old.dtype()), where);
  const Tensor change = mul({sub({fresh, where}, {old, where}), where}, rate);
  running.state()->set_value(add({old, where}, {change, where}));
}

SINTER_INLINE void require_statistics(const Operand& x, const RunningStatistic& mean,
                                      const RunningStatistic& var, bool training,
                                      std::string_view op) {
  Report report{
      .op = std::string(op), .facts = {{"x", to_string(x)}}, .where = x.where, .see = "norms"};
  if (mean.is_given() != var.is_given()) {
    report.what = "one of the running statistics is missing";
    report.rule = "running mean and variance are both given, or neither";
    report.fix = "give both, or std::nullopt for both";
    throw ValueError(report);
  }
  if (mean.is_given() && training && (mean.state() == nullptr || var.state() == nullptr)) {
    report.what = "the running statistics cannot be changed";
    report.rule = "while a model is trained, its norms change their running statistics";
    report.fix = "call eval(model) before, or leave out const: of the model, of its forward()";
    throw ValueError(report);
  }
  if (!mean.is_given()) return;
  require_channels(x, mean.value(), op, "running mean");
  require_channels(x, var.value(), op, "running variance");
}

SINTER_INLINE Extent count_of(const Shape& shape, const std::vector<int>& axes) {
  Extent count = 1;
  for (const int axis : axes) count *= shape[axis];
  return count;
}

}  // namespace sinter::inline SINTER_ABI::detail
