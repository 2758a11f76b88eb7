#pragma once
// The random state of the process: its seed and the number of draws since it was set.

#include <cstdint>  // std::uint64_t

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::random {

/// Restarts the random sequence of this process with a seed.
void manual_seed(std::uint64_t seed);

/// The state of this process: `offset` is the number of draws. Compiled and eager code advance it
/// equally.
struct State {
  std::int64_t seed = 0;
  std::int64_t offset = 0;
};
State state();
void set_state(State state);
/// Reserves the next `count` draws and returns their state.
State next_state(std::int64_t count = 1);
/// Returns the unused part of a reservation: of the `count` draws from `state` on, only the first
/// `used` were made. The others come next, unless others have drawn since.
void return_state(State state, std::int64_t count, std::int64_t used = 0);

/// The draws of one call; returned if the call fails.
class Draw {
 public:
  /// Reserved for a call whose number of draws is not known yet; more than any call makes.
  static constexpr std::int64_t unknown = std::int64_t{1} << 32;

  explicit Draw(std::int64_t count) : state_(next_state(count)), count_(count) {}
  Draw(const Draw&) = delete;
  Draw& operator=(const Draw&) = delete;
  ~Draw() {
    if (!is_kept_) return_state(state_, count_);
  }

  const State& state() const { return state_; }
  /// The call has made `used` draws so far; later draws are not part of it.
  void end(std::int64_t used);
  /// Continues the call after end(). Returns the number of draws made by others in between.
  std::int64_t resume();
  void keep() { is_kept_ = true; }

 private:
  State state_;
  std::int64_t count_;
  bool is_kept_ = false;
};

}  // namespace sinter::inline SINTER_ABI::random

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/context/random_state.ipp>
#endif
