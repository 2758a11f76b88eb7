#pragma once
// ReduceLROnPlateau: a learning rate that falls when a metric no longer improves.

#include <string>  // std::string
#include <vector>  // std::vector

#include <sinter/base/container/vector.hpp>
#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/module/module.hpp>

namespace sinter::inline SINTER_ABI::optim {

/// Multiplies learning rates by `factor` after more than `patience` steps without a metric better
/// than the best so far, by `threshold` of it or, with threshold_mode "abs", by that number. A NaN
/// is no better. After a reduction, `cooldown` steps do not count.
///
/// Source
/// https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.ReduceLROnPlateau.html
struct ReduceLROnPlateau {
  std::string mode = "min";  ///< Or "max": whether a better metric is smaller or larger.
  double factor = 0.1;
  int patience = 10;
  double threshold = 1e-4;
  std::string threshold_mode = "rel";
  int cooldown = 0;
  double min_lr = 0;
  double eps = 1e-8;  ///< Smaller reductions are not made.
  Scalar best = 0.0;  ///< Once `steps` is not 0. What follows is state, which io::save writes.
  Scalar steps = 0;
  Scalar bad_steps = 0;
  Scalar cooldown_left = 0;
  SINTER_MODULE(ReduceLROnPlateau, mode, factor, patience, threshold, threshold_mode, cooldown,
                min_lr, eps, best, steps, bad_steps, cooldown_left)

  /// Reduces the learning rates of `optimizer` and of its groups if it is time; returns whether it
  /// is. Call it after each epoch, outside of compiled functions.
  ///
  /// Throws ValueError for an unknown mode, or unless factor < 1
  template <class Optimizer>
  bool step(Optimizer& optimizer, double metric, Where where = Where::current()) {
    sinter::detail::Vector<Scalar*> rates;
    rates.push_back(&optimizer.learning_rate);
    for (auto& group : optimizer.groups) {
      if (group.learning_rate) rates.push_back(&*group.learning_rate);
    }
    return reduce(rates, metric, where);
  }
  bool reduce(const sinter::detail::Vector<Scalar*>& rates, double metric, Where where);
};

}  // namespace sinter::inline SINTER_ABI::optim

#ifdef SINTER_DEFINITIONS
#include <sinter/optim/plateau.ipp>
#endif
