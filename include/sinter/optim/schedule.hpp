#pragma once
// Learning rates that change from step to step: functions of the number of the step, from 0.
//
//   const auto rate = optim::warmup(100, optim::cosine(3e-4, 1000));
//   for (int step = 0; step < 1100; ++step) {
//     optimizer.learning_rate = rate(step);
//
// Rates are of f32, as an optimizer's learning rate is unless it is given a double: one of another
// dtype would compile the step again. Parameters of f64 are updated in f64 at the rate so rounded.

#include <cstdint>  // std::int64_t

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::optim {

/// Always `value`.
struct ConstantRate {
  double value = 0;
  float operator()(std::int64_t step) const;
};

/// From `start` to `end` in equal parts, which it reaches at `steps`, and then keeps.
///
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.LinearLR.html
struct LinearRate {
  double start = 0, end = 0;
  std::int64_t steps = 0;
  float operator()(std::int64_t step) const;
};

/// end + (start - end) * (1 + cos(pi * step / steps)) / 2; `end` from `steps` on.
///
/// Source
/// https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.CosineAnnealingLR.html
struct CosineRate {
  double start = 0;
  std::int64_t steps = 0;
  double end = 0;
  float operator()(std::int64_t step) const;
};

/// start * factor^step.
///
/// Source
/// https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.ExponentialLR.html
struct ExponentialRate {
  double start = 0, factor = 1;
  float operator()(std::int64_t step) const;
};

/// start * factor^(step / every), in whole numbers.
///
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.StepLR.html
struct StepRate {
  double start = 0, factor = 1;
  std::int64_t every = 1;
  float operator()(std::int64_t step) const;
};

/// From `start` to then(0) in equal parts in the first `steps` steps; after them then(step -
/// steps).
template <class Then>
struct WarmupRate {
  std::int64_t steps = 0;
  Then then{};
  double start = 0;
  float operator()(std::int64_t step) const {
    if (step >= steps) return static_cast<float>(then(step - steps));
    return LinearRate{start, static_cast<double>(then(std::int64_t{0})), steps}(step);
  }
};

inline ConstantRate constant(double value) { return {value}; }
inline LinearRate linear(double start, double end, std::int64_t steps) {
  return {start, end, steps};
}
inline CosineRate cosine(double start, std::int64_t steps, double end = 0) {
  return {start, steps, end};
}
inline ExponentialRate exponential(double start, double factor) { return {start, factor}; }
inline StepRate step_decay(double start, double factor, std::int64_t every) {
  return {start, factor, every};
}
template <class Then>
WarmupRate<Then> warmup(std::int64_t steps, Then then, double start = 0) {
  return {steps, then, start};
}

}  // namespace sinter::inline SINTER_ABI::optim

#ifdef SINTER_DEFINITIONS
#include <sinter/optim/schedule.ipp>
#endif
