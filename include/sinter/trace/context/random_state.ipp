#pragma once

#include <mutex>  // std::lock_guard

#include <sinter/base/process_mutex.hpp>
#include <sinter/trace/context/random_state.hpp>

namespace sinter::inline SINTER_ABI::random {

namespace detail {

struct Generator {
  sinter::detail::ProcessMutex mutex;
  State state;
};

SINTER_INLINE Generator& generator() {
  static auto& generator = *new Generator;
  return generator;
}

}  // namespace detail

SINTER_INLINE void manual_seed(std::uint64_t seed) {
  set_state({static_cast<std::int64_t>(seed), 0});
}

SINTER_INLINE State state() {
  const std::lock_guard lock(detail::generator().mutex);
  return detail::generator().state;
}

SINTER_INLINE State next_state(std::int64_t count) {
  const std::lock_guard lock(detail::generator().mutex);
  const State result = detail::generator().state;
  detail::generator().state.offset += count;
  return result;
}

SINTER_INLINE void return_state(State state, std::int64_t count, std::int64_t used) {
  const std::lock_guard lock(detail::generator().mutex);
  State& next = detail::generator().state;
  const bool is_last = next.seed == state.seed && next.offset == state.offset + count;
  if (is_last) next.offset = state.offset + used;
}

SINTER_INLINE void Draw::end(std::int64_t used) {
  return_state(state_, count_, used);
  count_ = used;
}

SINTER_INLINE std::int64_t Draw::resume() {
  const State now = next_state(unknown);
  const std::int64_t skipped = now.offset - state_.offset - count_;
  if (now.seed != state_.seed || skipped < 0) {  // another seed was set
    return_state(now, unknown);
    return 0;
  }
  count_ += skipped + unknown;
  return skipped;
}

SINTER_INLINE void set_state(State state) {
  const std::lock_guard lock(detail::generator().mutex);
  detail::generator().state = state;
}

}  // namespace sinter::inline SINTER_ABI::random
