#pragma once

#include <array>   // std::array
#include <mutex>   // std::lock_guard
#include <string>  // std::string

#include <sinter/base/container/sorted_map.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/fault.hpp>
#include <sinter/base/log.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/core/size_value.hpp>
#include <sinter/trace/functional/loss/loss.hpp>
#include <sinter/trace/functional/norm/normalize.hpp>
#include <sinter/trace/ops/creation/create.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/index/index.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>
#include <sinter/trace/subgraph/expression_cache.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

SINTER_INLINE Tensor reduce_loss(const Tensor& loss, Reduction reduction, const Operand& x,
                                 std::string_view op) {
  const Where where = x.where;
  if (reduction == Reduction::batchmean) {
    throw ValueError({.op = op,
                      .what = "the loss has no such reduction",
                      .facts = {{"x", to_string(x)}, {"reduction", "batchmean"}},
                      .rule = "batchmean is a reduction of kl_div",
                      .fix = "use Reduction::mean, ::sum or ::none",
                      .where = where});
  }
  if (reduction == Reduction::none) return as_narrow(loss, x);
  return as_narrow(reduction == Reduction::sum ? sum({loss, where}) : mean({loss, where}), x);
}

SINTER_INLINE void require_equal_shapes(const Operand& x, const Operand& target,
                                        std::string_view op, std::string_view name) {
  const Shape from = x.shape(), to = target.shape();
  bool fits = from.size() == to.size();
  for (int axis = 0; fits && axis < from.size(); ++axis) {
    fits = equal_sizes(from[axis], to[axis], x.where);
  }
  if (fits) return;
  throw ShapeError({.op = op,
                    .what = text("x and the ", name, " differ in shape"),
                    .facts = {{"x", to_string(x)}, {std::string(name), to_string(target)}},
                    .rule = text("x.shape == ", name, ".shape"),
                    .fix = "reshape one of them, so that no element is repeated unseen",
                    .where = x.where,
                    .see = "broadcasting"});
}

SINTER_INLINE Tensor at_least_zero(const Operand& x) {
  const Where at = x.where;
  return where({lt(x, {0, at}), at}, {0, at}, x);
}

// True if target is (n, ...) where x is (n, classes, ...).
SINTER_INLINE bool is_target_of(const Operand& x, const Operand& target) {
  const Shape rows = x.shape(), targets = target.shape();
  if (rows.size() != targets.size() + 1) return false;
  for (int axis = 0; axis < targets.size(); ++axis) {
    if (!equal_sizes(rows[axis == 0 ? 0 : axis + 1], targets[axis], x.where)) return false;
  }
  return true;
}

SINTER_INLINE void require_floating_scores(const Operand& x, std::string_view op) {
  if (is_floating(x.type().dtype)) return;
  throw DTypeError({.op = op,
                    .what = "class scores are integers",
                    .facts = {{"x", to_string(x)}},
                    .rule = "x is of a floating dtype",
                    .fix = "cast it, x.to(f32), or swap x and target",
                    .where = x.where,
                    .see = "cross-entropy"});
}

SINTER_INLINE void require_targets(const Operand& x, const Operand& target, std::string_view op) {
  const bool are_classes = is_integer(target.type().dtype);
  if (are_classes && is_target_of(x, target)) return;
  Report report{.op = std::string(op),
                .facts = {{"x", to_string(x)}, {"target", to_string(target)}},
                .where = x.where,
                .see = "cross-entropy"};
  if (!are_classes) {
    report.what = "targets are not classes";
    report.rule = "target is of an integer dtype";
    report.fix = "cast it: target.to(i64)";
    throw DTypeError(report);
  }
  report.what = "there is not one target for each row";
  report.rule = "x is (n, classes, ...) and target is (n, ...)";
  report.fix = "move the classes to axis 1; argmax(target, 1) if it is one-hot";
  throw ShapeError(report);
}

SINTER_INLINE void require_class_weights(const Operand& x, const Tensor& weight, Extent classes,
                                         std::string_view op) {
  if (!weight.defined()) return;
  const Shape shape = weight.shape();
  if (shape.size() == 1 && equal_sizes(shape[0], classes, x.where)) return;
  throw ShapeError({.op = op,
                    .what = "there is not one weight for each class",
                    .facts = {{"x", to_string(x)}, {"weight", to_string(weight)}},
                    .rule = "the weight is (classes)",
                    .fix = "give each class a weight; mul() the losses for weights of rows",
                    .where = x.where,
                    .see = "cross-entropy"});
}

// Moves the classes of (n, classes, ...) to the last axis.
SINTER_INLINE Operand classes_last(const Operand& x) {
  std::vector<int> order;
  for (int axis = 0; axis < x.shape().size(); ++axis) {
    if (axis != 1) order.push_back(axis);
  }
  if (x.shape().size() < 3) return x;
  order.push_back(1);
  return {permute(x, order), x.where};
}

// True at the class of each row of `rows`. Gathering the class from an iota of all classes checks
// the range.
SINTER_INLINE Tensor class_mask(const Operand& rows, const Tensor& classes, Where where) {
  const Tensor all_classes = arange(rows.shape()[-1], where);
  // Negative classes are errors here; as indices they would count from the end.
  const Tensor count = count_along(rows.tensor(), -1, i64, where);
  const Tensor is_class_number = bitwise_and({ge({classes, where}, {0, where}), where},
                                             {lt({classes, where}, {count, where}), where});
  const Tensor refused = sub({classes, where}, {refused_index, where});
  const Tensor indices =
      sinter::where({is_class_number, where}, {classes, where}, {refused, where});
  const Tensor checked = index_select({all_classes, where}, 0, {indices, where});
  return eq({all_classes, where}, {unsqueeze({checked, where}, -1), where});
}

// The element of each row that is marked, as a masked sum over the row: it fuses with the loops
// that compute the row, and its gradient needs no scatter.
SINTER_INLINE Tensor pick(const Operand& rows, const Tensor& is_class, Where where) {
  return sum({sinter::where({is_class, where}, rows, {0, where}), where}, -1);
}

// The losses of rows (..., classes), and their weights in the average: 0 for ignored rows.
SINTER_INLINE Tensor class_loss(const Operand& rows, const Operand& target,
                                const CrossEntropyOptions& options, const Operand& x,
                                std::string_view op) {
  const Where at = rows.where;
  const Extent classes = rows.shape()[-1];
  require_class_weights(x, options.weight, classes, op);
  const Tensor wanted = cast({target.tensor(), at}, i64);
  const Tensor counts = ne({wanted, at}, {options.ignore_index, at});
  const Tensor safe = where({counts, at}, {wanted, at}, {0, at});
  const Tensor is_class = class_mask(rows, safe, at);
  Tensor loss = neg({pick(rows, is_class, at), at});
  Tensor share = cast({counts, at}, loss.dtype()), smooth = rows.tensor();
  if (options.weight.defined()) {
    const Operand weight(cast({options.weight, at}, loss.dtype()), at);
    const Tensor own = pick(weight, is_class, at);
    share = mul({share, at}, {own, at});
    loss = mul({loss, at}, {own, at});
    smooth = mul(rows, weight);
  }
  if (options.label_smoothing != 0) {
    const Tensor mean_loss = neg({mean({smooth, at}, -1), at});
    loss = add({mul({loss, at}, {1 - options.label_smoothing, at}), at},
               {mul({mean_loss, at}, {options.label_smoothing, at}), at});
  }
  loss = where({counts, at}, {loss, at}, {0, at});
  if (options.reduction != Reduction::mean) return reduce_loss(loss, options.reduction, x, op);
  return as_narrow(div({sum({loss, at}), at}, {sum({share, at}), at}), x);
}

// The same for targets that are class probabilities.
SINTER_INLINE Tensor probability_loss(const Operand& rows, const Operand& target,
                                      const CrossEntropyOptions& options, const Operand& x) {
  const Where at = rows.where;
  const Extent classes = rows.shape()[-1];
  require_equal_shapes(x, target, "cross_entropy");
  require_class_weights(x, options.weight, classes, "cross_entropy");
  Operand wanted = classes_last({as_wide({target.tensor(), at}).tensor(), at});
  if (options.label_smoothing != 0) {
    const Operand kept(mul(wanted, {1 - options.label_smoothing, at}), at);
    const Operand count(size_value(classes, wanted.type().dtype, at), at);
    wanted = {add(kept, {div({options.label_smoothing, at}, count), at}), at};
  }
  Tensor terms = mul(rows, wanted);
  if (options.weight.defined()) {
    terms = mul({terms, at}, {cast({options.weight, at}, terms.dtype()), at});
  }
  return reduce_loss(neg({sum({terms, at}, -1), at}), options.reduction, x, "cross_entropy");
}

// Warns, like torch, once for each line: n predictions of shape (n, 1) broadcast with n targets to
// n * n pairs.
SINTER_INLINE void warn_of_broadcast(const Operand& x, const Operand& target, std::string_view op) {
  const Shape given = concrete(x.shape()), wanted = concrete(target.shape());
  if (wanted.empty() || same(given, wanted)) return;
  static auto& mutex = *new ProcessMutex;
  static auto& told = *new SortedSet<std::string>;
  const std::string place = sinter::to_string(x.where);
  const std::lock_guard lock(mutex);
  if (!told.insert(place).second) return;
  warn(text(op, " at ", place, ": x is ", to_string(x), " and the target ", to_string(target),
            ": they are broadcast, and each element of one is compared with several of the other; "
            "reshape the target to the shape of x"));
}

SINTER_INLINE Tensor distance_to(const Operand& x, const Operand& target, std::string_view op) {
  require_broadcast(op, x, target);
  warn_of_broadcast(x, target, op);
  return sub(as_wide(x), {as_wide({target.tensor(), x.where}).tensor(), x.where});
}

SINTER_INLINE void require_limit(bool fits, double limit, const Operand& x, std::string_view op,
                                 std::string rule) {
  if (fits) return;
  throw ValueError({.op = op,
                    .what = "the limit between square and distance is out of range",
                    .facts = {{"x", to_string(x)}, {"limit", text(limit)}},
                    .rule = rule,
                    .fix = "use l1_loss for distances alone",
                    .where = x.where});
}

}  // namespace detail

namespace detail {

SINTER_INLINE Tensor nll_loss_of(const Operand& log_probabilities, const Operand& target,
                                 const CrossEntropyOptions& options) {
  require_floating_scores(log_probabilities, "nll_loss");
  require_targets(log_probabilities, target, "nll_loss");
  const Operand rows = classes_last(as_wide(log_probabilities));
  return class_loss(rows, target, options, log_probabilities, "nll_loss");
}

SINTER_INLINE Tensor cross_entropy_of(const Operand& logits, const Operand& target,
                                      const CrossEntropyOptions& options) {
  require_floating_scores(logits, "cross_entropy");
  const bool has_probabilities =
      is_floating(target.type().dtype) && target.shape().size() == logits.shape().size();
  if (!has_probabilities) require_targets(logits, target, "cross_entropy");
  const double smoothing = options.label_smoothing;
  if (!(smoothing >= 0 && smoothing <= 1)) {
    throw ValueError({.op = "cross_entropy",
                      .what = "label_smoothing is not in [0, 1]",
                      .facts = {{"label_smoothing", text(smoothing)}},
                      .rule = "0 <= label_smoothing <= 1",
                      .fix = "0.1 gives a tenth of each target to all classes",
                      .where = logits.where,
                      .see = "cross-entropy"});
  }
  const Operand wide = classes_last(as_wide(logits));
  const Operand rows(log_softmax(wide, -1), logits.where);
  if (has_probabilities) return probability_loss(rows, target, options, logits);
  return class_loss(rows, target, options, logits, "cross_entropy");
}

using LossOfClasses = Tensor (*)(const Operand& x, const Operand& target,
                                 const CrossEntropyOptions& options);

// The loss is recorded in each training step; the expression cache makes that a lookup after the
// first. A changing smoothing would create a new expression each time, so it is not cached.
SINTER_INLINE Tensor record_loss(const char* name, const Operand& x, const Operand& target,
                                 const CrossEntropyOptions& options, LossOfClasses loss) {
  const PublicCall call(name, x.where);
  if (options.weight.defined() || options.label_smoothing != 0) return loss(x, target, options);
  const std::array words{static_cast<std::uint64_t>(options.ignore_index),
                         static_cast<std::uint64_t>(options.reduction)};
  return record_composite(name, std::array{x, target}, words, [&](Span<const Operand> operands) {
    return loss(operands[0], operands[1], options);
  });
}

}  // namespace detail

SINTER_INLINE Tensor nll_loss(Operand log_probabilities, Operand target,
                              CrossEntropyOptions options) {
  return detail::record_loss("nll_loss", log_probabilities, target, options, detail::nll_loss_of);
}

SINTER_INLINE Tensor cross_entropy(Operand logits, Operand target, CrossEntropyOptions options) {
  return detail::record_loss("cross_entropy", logits, target, options, detail::cross_entropy_of);
}

SINTER_INLINE Tensor mse_loss(Operand x, Operand target, Reduction reduction) {
  const detail::PublicCall call("mse_loss", x.where);
  const Tensor distance = detail::distance_to(x, target, "mse_loss");
  return detail::reduce_loss(square({distance, x.where}), reduction, x, "mse_loss");
}

SINTER_INLINE Tensor l1_loss(Operand x, Operand target, Reduction reduction) {
  const detail::PublicCall call("l1_loss", x.where);
  const Tensor distance = detail::distance_to(x, target, "l1_loss");
  return detail::reduce_loss(abs({distance, x.where}), reduction, x, "l1_loss");
}

SINTER_INLINE Tensor huber_loss(Operand x, Operand target, double delta, Reduction reduction) {
  const detail::PublicCall call("huber_loss", x.where);
  const Where at = x.where;
  detail::require_limit(delta > 0, delta, x, "huber_loss", "delta > 0");
  const Tensor difference = detail::distance_to(x, target, "huber_loss");
  const Tensor distance = abs({difference, at});  // has no second derivative at 0
  const Tensor near = mul({square({difference, at}), at}, {0.5, at});
  const Tensor far = mul({sub({distance, at}, {delta / 2, at}), at}, {delta, at});
  const Tensor loss = where({le({distance, at}, {delta, at}), at}, {near, at}, {far, at});
  return detail::reduce_loss(loss, reduction, x, "huber_loss");
}

SINTER_INLINE Tensor smooth_l1_loss(Operand x, Operand target, Reduction reduction, double beta) {
  const detail::PublicCall call("smooth_l1_loss", x.where);
  const Where at = x.where;
  detail::require_limit(beta >= 0, beta, x, "smooth_l1_loss", "beta >= 0");
  if (beta == 0) return l1_loss(x, target, reduction);
  const Tensor difference = detail::distance_to(x, target, "smooth_l1_loss");
  const Tensor distance = abs({difference, at});  // has no second derivative at 0
  const Tensor near = mul({square({difference, at}), at}, {0.5 / beta, at});
  const Tensor far = sub({distance, at}, {beta / 2, at});
  const Tensor loss = where({lt({distance, at}, {beta, at}), at}, {near, at}, {far, at});
  return detail::reduce_loss(loss, reduction, x, "smooth_l1_loss");
}

SINTER_INLINE Tensor kl_div(Operand x, Operand target, Reduction reduction, bool log_target) {
  const detail::PublicCall call("kl_div", x.where);
  const Where at = x.where;
  detail::require_broadcast("kl_div", x, target);
  const Operand wide = detail::as_wide(x);
  const Operand goal = detail::as_wide({target.tensor(), at});
  Tensor loss;
  if (log_target) {
    loss = mul({exp(goal), at}, {sub(goal, wide), at});
  } else {  // 0 * log(0) is 0
    const Operand is_zero(eq(goal, {0, at}), at);
    const Tensor safe = where(is_zero, {1, at}, goal);
    const Tensor entropy = mul(goal, {log({safe, at}), at});
    loss = sub({entropy, at}, {mul(goal, wide), at});
  }
  if (reduction != Reduction::batchmean || loss.ndim() == 0) {
    return detail::reduce_loss(loss, reduction, x, "kl_div");
  }
  const Tensor rows = detail::size_value(loss.shape()[0], loss.dtype(), at);
  return detail::as_narrow(div({sum({loss, at}), at}, {rows, at}), x);
}

}  // namespace sinter::inline SINTER_ABI
