#pragma once

// Runs of kernels that somebody watches or measures.

#include <utility>  // std::move

#include <sinter/runtime/executable.hpp>
#include <sinter/runtime/watch.hpp>
#include <sinter/symbol/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

// What Watch is told of a run of a kernel, or of all that share a launch.
SINTER_INLINE WatchedRun watched_run(const compiler::Module& module, const schedule::Launch& launch,
                                     std::span<const std::int64_t> symbols) {
  std::string name = module.name(static_cast<std::size_t>(launch.kernel));
  const std::size_t all = launch.entries.size();  // none where the kernel runs alone
  if (all > 1) name += text(" and ", all - 1, all == 2 ? " other" : " others");
  return {std::move(name), evaluate(launch.bytes_read, symbols),
          evaluate(launch.bytes_written, symbols), evaluate(launch.operations, symbols),
          launch.lines};
}

// While somebody watches, each run of a kernel is announced before the first of them starts, so
// that what happens in between costs no more than reading the clock.
SINTER_INLINE void Executable::announce(Call& call, std::size_t first, std::size_t last) const {
  call.watched.resize(steps_.size());
  for (std::size_t i = first; i < last; ++i) {
    call.watched[i] =
        Watch::process().announce(watched_run(*module_, plan_.launches[i], call.symbols));
  }
}

SINTER_INLINE void Executable::launch_watched(Call& call, std::size_t step, long thread,
                                              long threads) const {
  const std::int64_t start = watch_time();
  launch(call, step, thread, threads);
  const std::int64_t end = watch_time();
  Watch::process().note({call.watched[step], static_cast<int>(thread), start, end});
}

SINTER_INLINE void Executable::use(std::shared_ptr<const compiler::Module> module) {
  module_ = std::move(module);
  const auto function = [&](std::int32_t kernel) {
    return reinterpret_cast<KernelFunction>(module_->function(static_cast<std::size_t>(kernel)));
  };
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (steps_[i].function != nullptr) steps_[i].function = function(plan_.launches[i].kernel);
  }
  for (Part& part : parts_) part.function = function(part.kernel);
  for (const auto& body : bodies_) body->use(module_);
}

SINTER_INLINE void Executable::measure(Stopwatch* stopwatch) {
  stopwatch_ = stopwatch;
  for (const auto& body : bodies_) body->measure(stopwatch);
}

SINTER_INLINE void Executable::launch_measured(Call& call, std::size_t step, long thread,
                                               long threads) const {
  const auto kernel = static_cast<std::size_t>(plan_.launches[step].kernel);
  if (thread == 0) stopwatch_->begin(kernel);
  const std::int64_t start = Stopwatch::now();
  launch(call, step, thread, threads);
  stopwatch_->end(Stopwatch::now() - start);
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
