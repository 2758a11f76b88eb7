#pragma once

#include <algorithm>  // std::max
#include <chrono>     // std::chrono::steady_clock
#include <mutex>      // std::lock_guard
#include <utility>    // std::exchange, std::move

#include <sinter/base/text.hpp>
#include <sinter/compile/unit/module.hpp>
#include <sinter/runtime/host/profiler.hpp>
#include <sinter/schedule/ir/plan.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

// More parts than threads note between two runs that are announced.
inline constexpr std::size_t room_for_parts = 4096;

}  // namespace detail

SINTER_INLINE WatchedRun watched_run(const compiler::Module& module, const schedule::Launch& launch,
                                     std::span<const std::int64_t> symbols) {
  std::string name = module.name(static_cast<std::size_t>(launch.kernel));
  const std::size_t all = launch.entries.size();  // none where the kernel runs alone
  if (all > 1) name += text(" and ", all - 1, all == 2 ? " other" : " others");
  return {std::move(name), evaluate(launch.bytes_read, symbols),
          evaluate(launch.bytes_written, symbols), evaluate(launch.operations, symbols),
          launch.lines};
}

SINTER_INLINE std::int64_t watch_time() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

SINTER_INLINE Watch& Watch::process() {
  static Watch& watch = *new Watch;
  return watch;
}

SINTER_INLINE bool Watch::start() {
  const std::lock_guard lock(mutex_);
  return !flag().exchange(true);
}

SINTER_INLINE Watched Watch::stop() {
  const std::lock_guard lock(mutex_);
  flag() = false;
  first_ += seen_.runs.size();
  return std::exchange(seen_, {});
}

SINTER_INLINE void Watch::clear() {
  const std::lock_guard lock(mutex_);
  first_ += seen_.runs.size();
  seen_ = {};
}

SINTER_INLINE std::size_t Watch::announce(WatchedRun run) {
  const std::lock_guard lock(mutex_);
  if (is_on()) {
    std::vector<WatchedPart>& parts = seen_.parts;
    const std::size_t needed = parts.size() + detail::room_for_parts;
    if (parts.capacity() < needed) parts.reserve(std::max(needed, 2 * parts.capacity()));
    seen_.runs.push_back(std::move(run));
  }
  return first_ + seen_.runs.size() - 1;
}

// A run that was announced to an earlier watch, or after its end, belongs to nobody.
SINTER_INLINE void Watch::note(const WatchedPart& part) {
  const std::lock_guard lock(mutex_);
  if (part.run < first_ || part.run - first_ >= seen_.runs.size()) return;
  if (seen_.parts.size() == seen_.parts.capacity()) return;
  seen_.parts.push_back(part);
  seen_.parts.back().run -= first_;
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
