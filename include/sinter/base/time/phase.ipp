#pragma once

#include <chrono>  // std::chrono::steady_clock

#include <sinter/base/time/phase.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE PhaseClock*& phase_clock() {
  static thread_local PhaseClock* clock = nullptr;
  return clock;
}

SINTER_INLINE double phase_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

SINTER_INLINE double PhaseTimes::total() const {
  double result = 0;
  for (const double one : seconds) result += one;
  return result;
}

// "12.3"
SINTER_INLINE std::string phase_milliseconds(double seconds) {
  const auto tenths = static_cast<std::int64_t>(seconds * 1e4 + 0.5);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

SINTER_INLINE std::string to_string(const PhaseTimes& times) {
  std::string result = phase_milliseconds(times.total()) + " ms";
  for (std::size_t i = 0; i < phase_count; ++i) {
    result += i == 0 ? ": " : ", ";
    result.append(phase_names[i]).append(" ").append(phase_milliseconds(times.seconds[i]));
  }
  return result;
}

SINTER_INLINE PhaseClock::PhaseClock() : since_(phase_now()), outer_(phase_clock()) {
  phase_clock() = this;
}

SINTER_INLINE PhaseClock::~PhaseClock() { phase_clock() = outer_; }

SINTER_INLINE PhaseTimes PhaseClock::times() const {
  PhaseTimes result = times_;
  result.seconds[static_cast<std::size_t>(phase_)] += phase_now() - since_;
  return result;
}

SINTER_INLINE CallPhase PhaseClock::enter(CallPhase phase) {
  const double now = phase_now();
  times_.seconds[static_cast<std::size_t>(phase_)] += now - since_;
  since_ = now;
  const CallPhase before = phase_;
  phase_ = phase;
  return before;
}

SINTER_INLINE PhaseScope::PhaseScope(CallPhase phase) : clock_(phase_clock()) {
  if (clock_ != nullptr) outer_ = clock_->enter(phase);
}

SINTER_INLINE PhaseScope::~PhaseScope() {
  if (clock_ != nullptr) clock_->enter(outer_);
}

}  // namespace sinter::inline SINTER_ABI::detail
