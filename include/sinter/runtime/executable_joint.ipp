#pragma once

// Launches of several kernels: no barrier between those that run together.

#include <algorithm>  // std::stable_sort

#include <sinter/runtime/executable.hpp>
#include <sinter/runtime/team.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

// A kernel of more work is shared by all threads; the others go to whoever is free, in chunks.
inline constexpr std::int64_t most_work_of_one_thread = 1 << 16;
inline constexpr std::int64_t work_of_chunk = 1 << 14;

}  // namespace detail

// The kernels that one thread each does come last of those together, the longest of them first.
SINTER_INLINE void Executable::add_parts(Step& step, const schedule::Launch& launch) {
  if (launch.entries.empty()) return;
  const auto begin = static_cast<std::int32_t>(parts_.size());
  schedule::for_each_entry(
      launch, [&](const schedule::Entry& entry, std::size_t buffer, std::size_t size) {
        const bool is_known = entry.work.is_number();
        const std::int64_t work = is_known ? entry.work.number() : detail::most_work_of_one_thread;
        parts_.push_back({reinterpret_cast<KernelFunction>(
                              module_->function(static_cast<std::size_t>(entry.kernel))),
                          entry.kernel, step.pointers + static_cast<std::int32_t>(buffer),
                          step.sizes + static_cast<std::int32_t>(size), entry.turn, work});
      });
  std::stable_sort(parts_.begin() + begin, parts_.end(), [](const Part& a, const Part& b) {
    if (a.turn != b.turn) return a.turn < b.turn;
    return a.turn == schedule::Turn::together && a.work > b.work;
  });
  add_joint(step, begin);
}

// What all threads share piece by piece, and the chunks of the rest, of the parts from `begin` on.
SINTER_INLINE void Executable::add_joint(Step& step, std::int32_t begin) {
  Joint joint{begin};
  const auto is = [&](std::size_t i, schedule::Turn turn) {
    return i < parts_.size() && parts_[i].turn == turn;
  };
  auto next = static_cast<std::size_t>(begin);
  while (is(next, schedule::Turn::before)) ++next;
  joint.together = static_cast<std::int32_t>(next);
  while (is(next, schedule::Turn::together) &&
         parts_[next].work >= detail::most_work_of_one_thread) {
    ++next;
  }
  joint.first_chunk = static_cast<std::int32_t>(chunks_.size());
  while (is(next, schedule::Turn::together)) {
    chunks_.push_back(static_cast<std::int32_t>(next));
    for (std::int64_t work = 0; work < detail::work_of_chunk && is(next, schedule::Turn::together);
         ++next) {
      work += parts_[next].work + 64;  // a call
    }
  }
  joint.after = static_cast<std::int32_t>(next);
  joint.end = static_cast<std::int32_t>(parts_.size());
  joint.end_chunk = static_cast<std::int32_t>(chunks_.size());
  step.joint = static_cast<std::int32_t>(joints_.size());
  joints_.push_back(joint);
}

SINTER_INLINE void Executable::run_parts(Call& call, std::int32_t first, std::int32_t last,
                                         long thread, long threads) const {
  for (std::int32_t i = first; i < last; ++i) {
    const Part& part = parts_[static_cast<std::size_t>(i)];
    part.function(call.pointers.data() + part.pointers, call.sizes + part.sizes, &call.fault,
                  thread, threads);
  }
}

SINTER_INLINE void Executable::launch_joint(Call& call, std::int32_t number, long thread,
                                            long threads) const {
  const Joint& joint = joints_[static_cast<std::size_t>(number)];
  if (threads == 1) return run_parts(call, joint.before, joint.end, 0, 1);
  Meeting& meeting = call.meetings[static_cast<std::size_t>(number)];
  if (joint.before < joint.together && thread == 0) {
    run_parts(call, joint.before, joint.together, 0, 1);
    meeting.begun.store(1, std::memory_order_release);
    meeting.begun.notify_all();
  } else if (joint.before < joint.together) {
    detail::wait_while(meeting.begun, 0);
  }
  const auto chunk_at = [&](std::int32_t chunk) {
    return chunk < joint.end_chunk ? chunks_[static_cast<std::size_t>(chunk)] : joint.after;
  };
  run_parts(call, joint.together, chunk_at(joint.first_chunk), thread, threads);
  const std::int32_t chunks = joint.end_chunk - joint.first_chunk;
  for (int next = 0; (next = meeting.chunk.fetch_add(1, std::memory_order_relaxed)) < chunks;) {
    const std::int32_t chunk = joint.first_chunk + next;
    run_parts(call, chunk_at(chunk), chunk_at(chunk + 1), 0, 1);
  }
  if (joint.after == joint.end) return;
  const int finished = meeting.finished.fetch_add(1, std::memory_order_acq_rel) + 1;
  if (finished == threads) run_parts(call, joint.after, joint.end, 0, 1);
}

// Before any thread has started.
SINTER_INLINE void Executable::prepare_meetings(Call& call) const {
  if (joints_.empty()) return;
  if (call.meeting_count < joints_.size()) {
    call.meetings = std::make_unique<Meeting[]>(joints_.size());
    call.meeting_count = joints_.size();
  }
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    call.meetings[i].begun.store(0, std::memory_order_relaxed);
    call.meetings[i].chunk.store(0, std::memory_order_relaxed);
    call.meetings[i].finished.store(0, std::memory_order_relaxed);
  }
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
