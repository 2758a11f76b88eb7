#pragma once
// Learning rate schedules: functions of the step number, from 0.
//
//   const auto rate = optim::warmup(100, optim::cosine(3e-4, 1000));
//   for (int step = 0; step < 1100; ++step) {
//     optimizer.learning_rate = rate(step);
//
// Rates are f32, like an optimizer's learning rate unless it is set to a double: another dtype
// would recompile the step. f64 parameters are updated in f64 with the rounded rate.

#include <cstdint>  // std::int64_t

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::optim {

/// Always `value`.
struct ConstantRate {
  double value = 0;
  float operator()(std::int64_t step) const;
};

/// Linear from `start` to `end`, reached at `steps`; constant afterwards.
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

/// start * factor^(step / every), with integer division.
///
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.StepLR.html
struct StepRate {
  double start = 0, factor = 1;
  std::int64_t every = 1;
  float operator()(std::int64_t step) const;
};

/// Linear from `start` to then(0) in the first `steps` steps; then(step - steps) afterwards.
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
