#pragma once

// Runs of kernels that somebody watches.

#include <utility>  // std::move

#include <sinter/runtime/executable.hpp>
#include <sinter/runtime/watch.hpp>
#include <sinter/symbol/evaluate.hpp>

namespace sinter::inline SINTER_ABI::runtime {

// While somebody watches, each run of a kernel is announced before the first of them starts, so
// that what happens in between costs no more than reading the clock.
SINTER_INLINE void Executable::announce(Call& call, std::size_t first, std::size_t last) const {
  call.watched.resize(steps_.size());
  for (std::size_t i = first; i < last; ++i) {
    const schedule::Launch& launch = plan_.launches[i];
    std::string name = module_->name(static_cast<std::size_t>(launch.kernel));
    if (launch.entries.size() > 1) name += text(" and ", launch.entries.size() - 1, " others");
    call.watched[i] =
        Watch::process().announce({std::move(name), evaluate(launch.bytes_read, call.symbols),
                                   evaluate(launch.bytes_written, call.symbols),
                                   evaluate(launch.operations, call.symbols), launch.lines});
  }
}

SINTER_INLINE void Executable::launch_watched(Call& call, std::size_t step, long thread,
                                              long threads) const {
  const std::int64_t start = watch_time();
  launch(call, step, thread, threads);
  const std::int64_t end = watch_time();
  Watch::process().note({call.watched[step], static_cast<int>(thread), start, end});
}

}  // namespace sinter::inline SINTER_ABI::runtime
