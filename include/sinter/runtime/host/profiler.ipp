#pragma once

#include <algorithm>  // std::max
#include <chrono>     // std::chrono::steady_clock
#include <mutex>      // std::lock_guard
#include <utility>    // std::exchange, std::move

#include <sinter/base/container/vector.hpp>
#include <sinter/base/text.hpp>
#include <sinter/compile/unit/module.hpp>
#include <sinter/runtime/host/profiler.hpp>
#include <sinter/schedule/ir/plan.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

// More spans than threads add between two calls of add_run().
inline constexpr std::size_t reserved_spans = 4096;

}  // namespace detail

SINTER_INLINE KernelRun describe_run(const compiler::Module& module, const schedule::Launch& launch,
                                     Span<const std::int64_t> symbols) {
  std::string name = module.name(static_cast<std::size_t>(launch.kernel));
  const std::size_t all = launch.entries.size();  // 0 if the launch is not batched
  if (all > 1) name += text(" and ", all - 1, all == 2 ? " other" : " others");
  return {std::move(name), evaluate(launch.bytes_read, symbols),
          evaluate(launch.bytes_written, symbols), evaluate(launch.operations, symbols),
          launch.lines};
}

SINTER_INLINE std::int64_t monotonic_nanoseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

SINTER_INLINE KernelProfiler& KernelProfiler::process() {
  static KernelProfiler& profiler = *new KernelProfiler;
  return profiler;
}

SINTER_INLINE bool KernelProfiler::start() {
  const std::lock_guard lock(mutex_);
  return !flag().exchange(true);
}

SINTER_INLINE KernelTrace KernelProfiler::stop() {
  const std::lock_guard lock(mutex_);
  flag() = false;
  first_ += trace_.runs.size();
  return std::exchange(trace_, {});
}

SINTER_INLINE void KernelProfiler::clear() {
  const std::lock_guard lock(mutex_);
  first_ += trace_.runs.size();
  trace_ = {};
}

SINTER_INLINE std::size_t KernelProfiler::add_run(KernelRun run) {
  const std::lock_guard lock(mutex_);
  if (is_on()) {
    Vector<KernelSpan>& spans = trace_.spans;
    const std::size_t needed = spans.size() + detail::reserved_spans;
    if (spans.capacity() < needed) spans.reserve(std::max(needed, 2 * spans.capacity()));
    trace_.runs.push_back(std::move(run));
  }
  return first_ + trace_.runs.size() - 1;
}

// Drops spans of runs that were added before start() or after stop().
SINTER_INLINE void KernelProfiler::add_span(const KernelSpan& span) {
  const std::lock_guard lock(mutex_);
  if (span.run < first_ || span.run - first_ >= trace_.runs.size()) return;
  if (trace_.spans.size() == trace_.spans.capacity()) return;
  trace_.spans.push_back(span);
  trace_.spans.back().run -= first_;
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
