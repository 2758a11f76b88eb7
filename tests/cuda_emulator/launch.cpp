#include "launch.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include <sinter/base/text.hpp>

#include "machine.hpp"
#include "reports.hpp"

namespace emulator {

namespace {

// Threads, reused by all launches; a block has at most this many.
std::vector<Thread>& pool() {
  static auto& instance = *new std::vector<Thread>(1024);
  return instance;
}

// Idle stacks, most recently used last.
std::vector<Fiber*>& free_fibers() {
  static auto& instance = *new std::vector<Fiber*>;
  return instance;
}

std::size_t shared_bytes_of(const Launch& launch) {
  return Running::static_shared(launch) + launch.function->module->data_bytes();
}

}  // namespace

Running::Running(const Launch& launch, Arena& arena)
    : launch_(launch), arena_(arena), shared_(shared_bytes_of(launch)) {
  count_ = launch.block.x * launch.block.y * launch.block.z;
  if (pool().size() < count_) pool() = std::vector<Thread>(count_);
  threads_ = {pool().data(), count_};
  Index index{};
  for (unsigned i = 0; i < count_; ++i) {
    threads_[i].number = i;
    threads_[i].index = index;
    if (++index.x == launch.block.x) index.x = 0, ++index.y;
    if (index.y == launch.block.y) index.y = 0, ++index.z;
  }
  for (const std::vector<unsigned char>& parameter : launch.parameters) {
    arguments_.push_back(const_cast<unsigned char*>(parameter.data()));
  }
  link_.block_size = launch.block;
  link_.grid_size = launch.grid;
  find_twice();
  running() = this;
}

// Pointers are parameters, or words of a table that is a parameter.
void Running::find_twice() {
  std::vector<std::uintptr_t> pointers;
  for (const std::vector<unsigned char>& parameter : launch_.parameters) {
    for (std::size_t at = 0; at + sizeof(std::uintptr_t) <= parameter.size(); at += 8) {
      std::uintptr_t one = 0;
      std::memcpy(&one, parameter.data() + at, sizeof(one));
      if (arena_.owns(one)) pointers.push_back(one);
    }
  }
  std::sort(pointers.begin(), pointers.end());
  const bool all = machine().settings.all_races;
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    const Allocation* const one = arena_.nearest(pointers[i]);
    const bool again = i > 0 && pointers[i] == pointers[i - 1];
    if ((!again && !all) || one == nullptr) continue;
    const std::uintptr_t end = one->address + one->bytes;
    if (pointers[i] < end) spans_.push_back({pointers[i], end - pointers[i]});
  }
  if (spans_.empty()) return;
  twice_.first = spans_.front().first;
  for (const Span& one : spans_) {
    twice_.bytes = std::max(twice_.bytes, one.first + one.bytes - twice_.first);
  }
}

// Stopped threads are abandoned in their current state.
Running::~Running() {
  for (Thread& one : threads_) {
    one.copies.clear();
    if (one.fiber == nullptr) continue;
    one.fiber->reset();
    free_fibers().push_back(std::exchange(one.fiber, nullptr));
  }
  running() = nullptr;
}

int Running::run() {
  for (unsigned z = 0; z < launch_.grid.z; ++z) {
    for (unsigned y = 0; y < launch_.grid.y; ++y) {
      for (unsigned x = 0; x < launch_.grid.x; ++x) {
        link_.block = {x, y, z};
        if (const int error = run_block(); error != 0) return error;
      }
    }
  }
  return 0;
}

void Running::start_block() {
  shared_.start(count_);
  finished_ = arrived_ = 0;
  joined_ = 0;
  warps_.assign((count_ + 31) / 32, {~0u, ~0u, 0});
  if (count_ % 32 != 0) warps_.back().lanes = warps_.back().ready = (1u << count_ % 32) - 1;
  for (Thread& one : threads_) one.state = Thread::State::ready;
}

// The threads of a warp run until all of them wait for other warps; then the next warp runs.
int Running::run_block() {
  start_block();
  while (finished_ < count_) {
    const unsigned before = finished_ + arrived_;
    for (unsigned first = 0; first < count_ && error_ == 0; first += 32) {
      const unsigned ready = warps_[first / 32].ready;
      if (ready != 0) go_to(&threads_[first + static_cast<unsigned>(std::countr_zero(ready))]);
    }
    if (error_ != 0) return error_;
    if (arrived_ > 0 && arrived_ + finished_ == count_) {
      release_barrier();
    } else if (finished_ + arrived_ == before) {
      report_deadlock();
      return error_;
    }
  }
  return 0;
}

// The next lane of a warp that can run, round robin; null if there is none.
Thread* Running::next_ready(const Thread& after) {
  const unsigned ready = warp_of(after).ready, later = ready & ~1u << after.lane();
  if (ready == 0) return nullptr;
  const int lane = std::countr_zero(later != 0 ? later : ready);
  return &threads_[after.number / 32 * 32 + static_cast<unsigned>(lane)];
}

void Running::begin(Thread& thread) {
  thread_ = &thread;
  link_.thread = thread.index;
}

void Running::go_to(Thread* next) {
  if (next == nullptr) {
    thread_ = nullptr;
    return Fiber::go_to(nullptr);
  }
  begin(*next);
  if (next->fiber == nullptr) next->fiber = free_fiber();
  Fiber::go_to(next->fiber);
}

// Waiting threads occupy many stacks: frames on the path to a wait are kept small.
[[gnu::noinline]] Fiber* Running::free_fiber() {
  auto& free = free_fibers();
  if (free.empty()) return new Fiber(&Running::run_threads);
  Fiber* const last = free.back();
  free.pop_back();
  return last;
}

// The main loop of a fiber, over all launches.
void Running::run_threads() {
  for (;;) running()->run_thread();
}

// After a thread ends, one that has not started can use the same stack.
void Running::run_thread() {
  launch_.function->call(arguments_.data());
  Thread& self = *thread_;
  if (!self.copies.empty()) finish_copies(0, nullptr);
  self.state = Thread::State::finished;
  ++finished_;
  Warp& warp = warp_of(self);
  warp.lanes &= ~(1u << self.lane());
  warp.ready &= ~(1u << self.lane());
  if (warp.waiting != 0) finish_meetings(warp, self.number / 32 * 32);
  Fiber* const own = std::exchange(self.fiber, nullptr);
  Thread* const next = next_ready(self);
  if (next != nullptr && next->fiber == nullptr) {
    next->fiber = own;
    return begin(*next);
  }
  free_fibers().push_back(own);
  go_to(next);
}

// The running thread must wait for others.
void Running::pause() {
  Thread& self = *thread_;
  warp_of(self).ready &= ~(1u << self.lane());
  go_to(next_ready(self));
}

int Running::barrier(emulated::Join join, int predicate, const void* frame) {
  Thread& self = *thread_;
  self.state = Thread::State::at_barrier;
  self.frame = frame;
  self.site = caller(frame);
  self.join = join;
  self.predicate = predicate;
  ++arrived_;
  pause();
  return joined_;
}

// All live threads are at a barrier; it must be the same one.
void Running::release_barrier() {
  Thread* first = nullptr;
  int holds = 0;
  for (Thread& one : threads_) {
    if (one.state != Thread::State::at_barrier) continue;
    if (first == nullptr) first = &one;
    holds += one.predicate != 0;
    if (one.site != first->site || one.join != first->join) {
      thread_ = &one;
      report("divergent barrier", "thread " + place(*first, first->frame) + " waits in another one",
             one.frame);
    }
  }
  if (finished_ > 0) {
    thread_ = first;
    report("divergent barrier", sinter::detail::text(finished_, " threads of the block have ended"),
           first->frame);
  }
  thread_ = nullptr;
  const emulated::Join join = first->join;
  const int waiting = static_cast<int>(arrived_);
  joined_ = join == emulated::Join::count ? holds
            : join == emulated::Join::all ? holds == waiting
                                          : holds > 0;
  arrived_ = 0;
  shared_.clock().pass_barrier();
  for (Thread& one : threads_) {
    if (one.state == Thread::State::at_barrier) one.state = Thread::State::ready;
  }
  for (Warp& one : warps_) one.ready = one.lanes;
}

void Running::report_deadlock() {
  std::string who;
  Thread* first = nullptr;
  for (Thread& one : threads_) {
    const bool waits =
        one.state == Thread::State::at_barrier || one.state == Thread::State::in_warp;
    if (!waits) continue;
    if (first == nullptr) first = &one;
    const std::string name =
        one.state == Thread::State::at_barrier ? "a barrier" : one.meeting.name;
    if (&one == first || one.state != first->state) {
      who += sinter::detail::text(who.empty() ? "" : "; ", "thread ", place(one, one.frame),
                                  " waits in ", name);
      if (&one != first) break;
    }
  }
  thread_ = first;
  report("divergent barrier", "no thread of the block can go on: " + who, first->frame);
  thread_ = nullptr;
  error_ = 719;
}

// Asynchronous copies are executed as late as possible: when the thread waits for them.
void Running::copy_later(const Copy& copy) {
  if (thread_->copies.empty()) thread_->copies.emplace_back();
  thread_->copies.back().push_back(copy);
}

void Running::close_copies() {
  if (thread_->copies.empty()) thread_->copies.emplace_back();
  thread_->copies.emplace_back();
}

// Executes all closed groups except the last `but`.
void Running::finish_copies(std::size_t but, const void* frame) {
  auto& groups = thread_->copies;
  while (groups.size() > (but == 0 ? 0 : but + 1)) {
    const auto group = std::move(groups.front());
    groups.erase(groups.begin());
    for (const Copy& copy : group) finish_copy(copy, frame);
  }
}

void Running::finish_copy(const Copy& copy, const void* frame) {
  unsigned char data[16]{};
  if (copy.read > 0) {
    access(copy.from, copy.read, emulated::reads, frame);
    std::memcpy(data, reinterpret_cast<const void*>(copy.from), copy.read);
  }
  access(copy.to, copy.bytes, emulated::writes, frame);
  std::memcpy(reinterpret_cast<void*>(copy.to), data, copy.bytes);
}

}  // namespace emulator
