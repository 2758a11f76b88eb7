#pragma once

#include <algorithm>  // std::max

#include <sinter/optim/plateau.hpp>
#include <sinter/trace/core/recorder.hpp>

namespace sinter::inline SINTER_ABI::optim {

namespace detail {

SINTER_INLINE void require_plateau(const ReduceLROnPlateau& plateau, Where where) {
  const bool modes_are_known = (plateau.mode == "min" || plateau.mode == "max") &&
                               (plateau.threshold_mode == "rel" || plateau.threshold_mode == "abs");
  if (modes_are_known && plateau.factor < 1) return;
  throw ValueError({.op = "ReduceLROnPlateau.step",
                    .what = modes_are_known ? "the factor does not reduce the learning rate"
                                            : "the mode is not known",
                    .facts = {{"mode", plateau.mode},
                              {"threshold_mode", plateau.threshold_mode},
                              {"factor", sinter::detail::text(plateau.factor)}},
                    .rule = "mode is min or max, threshold_mode is rel or abs, factor < 1",
                    .fix = "optim::ReduceLROnPlateau{.mode = \"min\", .factor = 0.1}",
                    .where = where});
}

SINTER_INLINE bool is_better(const ReduceLROnPlateau& plateau, double metric, double best) {
  const double sign = plateau.mode == "min" ? -1 : 1;
  const double margin =
      plateau.threshold_mode == "rel" ? best * plateau.threshold : plateau.threshold;
  return sign * metric > sign * (best + sign * margin);
}

}  // namespace detail

SINTER_INLINE bool ReduceLROnPlateau::reduce(const sinter::detail::Vector<Scalar*>& rates,
                                             double metric, Where where) {
  detail::require_plateau(*this, where);
  const bool is_first = steps.item<std::int64_t>(where) == 0;
  std::int64_t bad = bad_steps.item<std::int64_t>(where);
  std::int64_t left = cooldown_left.item<std::int64_t>(where);
  if (is_first || detail::is_better(*this, metric, best.item<double>(where))) {
    best = metric;
    bad = 0;
  } else {
    ++bad;
  }
  if (left > 0) --left, bad = 0;
  const bool reduces = bad > patience;
  if (reduces) left = cooldown, bad = 0;
  for (Scalar* const rate : rates) {
    const double old = rate->item<double>(where), reduced = std::max(old * factor, min_lr);
    if (reduces && old - reduced > eps) *rate = reduced;
  }
  steps = steps.item<std::int64_t>(where) + 1;
  bad_steps = bad;
  cooldown_left = left;
  return reduces;
}

}  // namespace sinter::inline SINTER_ABI::optim
