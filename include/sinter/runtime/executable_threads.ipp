#pragma once

// Which threads run a kernel.

#include <algorithm>  // std::min
#include <atomic>     // std::atomic

#include <sinter/runtime/executable.hpp>
#include <sinter/runtime/team.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

SINTER_INLINE std::int32_t Executable::threads_of(const Call& call, std::size_t step) const {
  return is_static_ ? steps_[step].threads : call.threads[step];
}

// By this thread, and by those that are awake already.
template <auto launch>
void Executable::run_step(Call& call, std::size_t step) const {
  const std::int32_t most = threads_of(call, step);
  if (most <= 1) return (this->*launch)(call, step, 0, 1);
  auto body = [&](int thread, int threads) { (this->*launch)(call, step, thread, threads); };
  run_short(most, body);
}

template <auto launch>
void Executable::run_alone(Call& call, std::size_t first, std::size_t last) const {
  for (std::size_t i = first; i < last; ++i) {
    run_step<launch>(call, i);
    if (steps_[i].can_fault && call.fault.number != 0) throw_fault(plan_.launches[i], call.fault);
  }
}

// All threads walk the list. A kernel that is worth it is shared, between two barriers; the others
// are run by the first thread, without barriers between them.
template <auto launch>
void Executable::run_shared(Call& call, std::size_t first, std::size_t last) const {
  alignas(64) unsigned char room[sizeof(Barrier)];
  Barrier* barrier = nullptr;
  std::atomic<int> ready{0};
  std::atomic<bool> stopped{false};
  auto body = [&](int thread, int threads) {
    if (thread == 0) {
      barrier = new (room) Barrier(threads);
      ready.store(1, std::memory_order_release);
      ready.notify_all();
    }
    detail::wait_while(ready, 0);
    bool met = true;  // since the last step that this thread may not overtake
    for (std::size_t i = first; i < last && !stopped.load(); ++i) {
      const int sharing = std::min(threads_of(call, i), threads);
      const bool shares = sharing > 1;
      if (shares && !met) barrier->wait();
      if (thread < sharing) (this->*launch)(call, i, thread, sharing);
      if (shares) barrier->wait();
      met = shares;
      if (!steps_[i].can_fault) continue;
      if (!shares) barrier->wait();
      met = true;
      if (call.fault.number != 0) call.faulty_step = i, stopped.store(true);
      barrier->wait();
    }
  };
  run_team(num_threads(), body);
  if (stopped) throw_fault(plan_.launches[call.faulty_step], call.fault);
}

template <auto launch>
void Executable::run_kernels(Call& call, std::size_t first, std::size_t last) const {
  bool is_long = call.is_long && num_threads() > 1;
  if (is_long && !control_steps_.empty()) {
    std::size_t step = first;
    while (step < last && threads_of(call, step) != detail::all_threads) ++step;
    is_long = step < last;
  }
  is_long ? run_shared<launch>(call, first, last) : run_alone<launch>(call, first, last);
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
