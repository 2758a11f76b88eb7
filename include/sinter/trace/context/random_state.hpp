#pragma once
// How many random draws this process has made since its seed was set.

#include <cstdint>  // std::uint64_t

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::random {

/// Starts the sequence of this process again, with another seed.
void manual_seed(std::uint64_t seed);

/// The state of this process: `offset` is how many draws there were. Compiled and plain code move
/// it on alike.
struct State {
  std::int64_t seed = 0;
  std::int64_t offset = 0;
};
State state();
void set_state(State state);
/// The state for the next `count` draws, which nobody else makes.
State next_state(std::int64_t count = 1);
/// Of the `count` draws from `state` on, which next_state() gave, only the first `used` were made.
/// The others come next, unless there were draws by others since.
void return_state(State state, std::int64_t count, std::int64_t used = 0);

/// The draws of one call, which are taken back if the call fails.
class Draw {
 public:
  /// More than any call makes: for one that does not know yet how many it will make.
  static constexpr std::int64_t unknown = std::int64_t{1} << 32;

  explicit Draw(std::int64_t count) : state_(next_state(count)), count_(count) {}
  Draw(const Draw&) = delete;
  Draw& operator=(const Draw&) = delete;
  ~Draw() {
    if (!is_kept_) return_state(state_, count_);
  }

  const State& state() const { return state_; }
  /// The call has made `used` draws so far; what follows does not belong to it.
  void end(std::int64_t used);
  /// The call goes on after end(). Gives how many draws others made between.
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
