#pragma once

#include <sinter/trace/autocast.hpp>
#include <sinter/trace/cast.hpp>
#include <sinter/trace/create.hpp>
#include <sinter/trace/elementwise.hpp>
#include <sinter/trace/index.hpp>
#include <sinter/trace/loss.hpp>
#include <sinter/trace/movement.hpp>
#include <sinter/trace/normalize.hpp>
#include <sinter/trace/recorder.hpp>
#include <sinter/trace/reduce.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

SINTER_INLINE Tensor reduce_loss(const Tensor& loss, Reduction reduction, Where where) {
  if (reduction == Reduction::none) return loss;
  return reduction == Reduction::sum ? sum({loss, where}) : mean({loss, where});
}

SINTER_INLINE void require_targets(const Operand& x, const Operand& target, std::string_view op) {
  const Shape rows = x.shape(), targets = target.shape();
  Report report{.op = std::string(op),
                .facts = {{"x", to_string(x)}, {"target", to_string(target)}},
                .where = x.where,
                .see = "cross-entropy"};
  if (!is_integer(target.type().dtype)) {
    report.what = "targets are not classes";
    report.rule = "target is of an integer dtype";
    report.fix = "cast it: target.to(i64)";
    throw DTypeError(report);
  }
  const bool fits = rows.size() == targets.size() + 1 && rows.size() <= 2 &&
                    (targets.empty() || equal_sizes(rows[0], targets[0], x.where));
  if (fits) return;
  report.what = "there is not one target for each row";
  report.rule = "x is (n, classes) and target is (n)";
  report.fix = "flatten the leading axes of both; argmax(target, -1) if it is one-hot";
  throw ShapeError(report);
}

// The element of each row at `classes`. A masked sum over the row, so that it joins the loops that
// make the row and its gradient needs no scatter; taking the class from a list of all classes is
// what checks that there is such a class.
SINTER_INLINE Tensor pick(const Operand& rows, const Tensor& classes, Where where) {
  const Tensor all_classes = arange(rows.shape()[-1], where);
  // A negative class is none, where a negative index would count from the end.
  const Tensor count = count_along(rows.tensor(), -1, i64, where);
  const Tensor before = sub({classes, where}, {count, where});
  const Tensor indices =
      sinter::where({lt({classes, where}, {0, where}), where}, {before, where}, {classes, where});
  const Tensor checked = index_select({all_classes, where}, 0, {indices, where});
  const Tensor is_class = eq({all_classes, where}, {unsqueeze({checked, where}, -1), where});
  const Tensor masked = sinter::where({is_class, where}, rows, {0, where});
  return sum({masked, where}, -1);
}

}  // namespace detail

SINTER_INLINE Tensor nll_loss(Operand log_probabilities, Operand target,
                              CrossEntropyOptions options) {
  const Where at = log_probabilities.where;
  detail::require_targets(log_probabilities, target, "nll_loss");
  const Tensor classes = cast({target.tensor(), at}, i64);
  const Tensor counts = ne({classes, at}, {options.ignore_index, at});
  const Tensor safe = where({counts, at}, {classes, at}, {0, at});
  const Tensor picked = detail::pick(log_probabilities, safe, at);
  const Tensor weight = cast({counts, at}, picked.dtype());
  Tensor loss = neg({picked, at});
  if (options.label_smoothing != 0) {
    const Tensor smooth = neg({mean(log_probabilities, -1), at});
    loss = add({mul({loss, at}, {1 - options.label_smoothing, at}), at},
               {mul({smooth, at}, {options.label_smoothing, at}), at});
  }
  loss = where({counts, at}, {loss, at}, {0, at});
  if (options.reduction == Reduction::none) return loss;
  const Tensor total = sum({loss, at});
  if (options.reduction == Reduction::sum) return total;
  return div({total, at}, {sum({weight, at}), at});
}

SINTER_INLINE Tensor cross_entropy(Operand logits, Operand target, CrossEntropyOptions options) {
  detail::require_targets(logits, target, "cross_entropy");
  return nll_loss({log_softmax(logits, -1), logits.where}, target, options);
}

SINTER_INLINE Tensor mse_loss(Operand x, Operand target, Reduction reduction) {
  const Where at = x.where;
  if (detail::autocast_widens(x.type().dtype)) x = {cast(x, f32), at};
  return detail::reduce_loss(square({sub(x, target), at}), reduction, at);
}

SINTER_INLINE Tensor l1_loss(Operand x, Operand target, Reduction reduction) {
  const Where at = x.where;
  if (detail::autocast_widens(x.type().dtype)) x = {cast(x, f32), at};
  return detail::reduce_loss(abs({sub(x, target), at}), reduction, at);
}

}  // namespace sinter::inline SINTER_ABI
