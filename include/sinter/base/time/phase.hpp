#pragma once
// Measures, by phase, how a call that records or compiles spends its time.

#include <array>        // std::array
#include <cstddef>      // std::size_t
#include <cstdint>      // std::uint8_t
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// What a call does before and while it runs for the first time. `record` is all that has no phase
/// of its own: running the function on placeholders, its gradient, the graph, guards.
enum class CallPhase : std::uint8_t { record, initialize, passes, plan, emit, load, run };

inline constexpr std::size_t phase_count = 7;
inline constexpr std::array<std::string_view, phase_count> phase_names{
    "record", "initialize", "passes", "plan", "emit", "load", "run"};

/// Seconds, by phase.
struct PhaseTimes {
  std::array<double, phase_count> seconds{};
  double operator[](CallPhase phase) const { return seconds[static_cast<std::size_t>(phase)]; }
  double total() const;
};

/// "71.2 ms: record 9.3, initialize 0.1, ..."
std::string to_string(const PhaseTimes& times);

/// From its construction on, each moment of this thread belongs to a phase: CallPhase::record,
/// unless a PhaseScope says otherwise. The time within another clock belongs to both.
class PhaseClock {
 public:
  PhaseClock();
  PhaseClock(const PhaseClock&) = delete;
  PhaseClock& operator=(const PhaseClock&) = delete;
  ~PhaseClock();

  /// The times up to now.
  PhaseTimes times() const;

 private:
  friend class PhaseScope;
  CallPhase enter(CallPhase phase);  // returns the one that ends

  PhaseTimes times_{};
  CallPhase phase_ = CallPhase::record;
  double since_;  // seconds
  PhaseClock* outer_;
};

/// During its lifetime, the time of this thread belongs to `phase`; without a clock it does
/// nothing.
class PhaseScope {
 public:
  explicit PhaseScope(CallPhase phase);
  PhaseScope(const PhaseScope&) = delete;
  PhaseScope& operator=(const PhaseScope&) = delete;
  ~PhaseScope();

 private:
  PhaseClock* clock_;
  CallPhase outer_ = CallPhase::record;
};

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/base/time/phase.ipp>
#endif
