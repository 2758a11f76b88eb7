#include "launch.hpp"

#include <algorithm>

#include <sinter/base/text.hpp>

#include "reports.hpp"

namespace emulator {

namespace {

// The stacks of earlier blocks are used again.
std::vector<std::unique_ptr<Thread>>& pool() {
  static auto& instance = *new std::vector<std::unique_ptr<Thread>>;
  return instance;
}

std::size_t shared_bytes_of(const Launch& launch) {
  return launch.shared_bytes + launch.function->module->data_bytes();
}

}  // namespace

Running*& running() {
  static Running* instance = nullptr;
  return instance;
}

Running::Running(const Launch& launch, Arena& arena)
    : launch_(launch), arena_(arena), shared_(shared_bytes_of(launch)) {
  count_ = launch.block.x * launch.block.y * launch.block.z;
  while (pool().size() < count_) pool().push_back(std::make_unique<Thread>());
  for (unsigned i = 0; i < count_; ++i) {
    Thread& one = *pool()[i];
    one.number = i;
    one.index = {i % launch.block.x, i / launch.block.x % launch.block.y,
                 i / launch.block.x / launch.block.y};
    threads_.push_back(&one);
  }
  for (const std::vector<unsigned char>& parameter : launch.parameters) {
    arguments_.push_back(const_cast<unsigned char*>(parameter.data()));
  }
  emulated::Link& link = link_table();
  link.block_size = launch.block;
  link.grid_size = launch.grid;
  running() = this;
}

Running::~Running() { running() = nullptr; }

int Running::run() {
  emulated::Link& link = link_table();
  for (unsigned z = 0; z < launch_.grid.z; ++z) {
    for (unsigned y = 0; y < launch_.grid.y; ++y) {
      for (unsigned x = 0; x < launch_.grid.x; ++x) {
        link.block = {x, y, z};
        if (const int error = run_block(); error != 0) return error;
      }
    }
  }
  return 0;
}

void Running::body(void* self) {
  Running& all = *static_cast<Running*>(self);
  all.launch_.function->call(all.arguments_.data());
  all.finish_copies(0, nullptr);
}

void Running::start_block() {
  shared_.start(count_);
  finished_ = arrived_ = 0;
  joined_ = 0;
  waiting_.assign((count_ + 31) / 32, 0);
  ended_ = waiting_;
  for (Thread* const one : threads_) {
    one->state = Thread::State::ready;
    one->copies.assign(1, {});
    one->fiber.start(&Running::body, this);
  }
}

int Running::run_block() {
  start_block();
  while (finished_ < count_) {
    const unsigned before = finished_ + arrived_;
    for (unsigned first = 0; first < count_ && error_ == 0; first += 32) run_warp(first);
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

// Runs the threads of a warp until all of them wait for other warps.
void Running::run_warp(unsigned first) {
  const unsigned end = std::min(first + 32, count_);
  for (bool moved = true; moved && error_ == 0;) {
    moved = false;
    for (unsigned i = first; i < end && error_ == 0; ++i) {
      if (threads_[i]->state != Thread::State::ready) continue;
      step(*threads_[i]);
      moved = true;
    }
  }
}

void Running::step(Thread& thread) {
  thread_ = &thread;
  link_table().thread = thread.index;
  if (thread.fiber.resume()) {
    thread.state = Thread::State::finished;
    ++finished_;
    ++ended_[thread.number / 32];
    finish_meetings(thread.number / 32);
  }
  thread_ = nullptr;
}

int Running::barrier(emulated::Join join, int predicate, const void* frame) {
  Thread& self = *thread_;
  self.state = Thread::State::at_barrier;
  self.frame = frame;
  self.site = caller(frame);
  self.join = join;
  self.predicate = predicate;
  ++arrived_;
  self.fiber.pause();
  return joined_;
}

// All threads that are left have come; each of them should have come to the same one.
void Running::release_barrier() {
  const Thread* first = nullptr;
  int holds = 0;
  for (Thread* const one : threads_) {
    if (one->state != Thread::State::at_barrier) continue;
    if (first == nullptr) first = one;
    holds += one->predicate != 0;
    thread_ = one;
    if (one->site != first->site || one->join != first->join) {
      report("divergent barrier", "thread " + place(*first, first->frame) + " waits in another one",
             one->frame);
    }
  }
  thread_ = threads_[first->number];
  if (finished_ > 0) {
    report("divergent barrier", sinter::text(finished_, " threads of the block have ended"),
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
  for (Thread* const one : threads_) {
    if (one->state == Thread::State::at_barrier) one->state = Thread::State::ready;
  }
}

void Running::report_deadlock() {
  std::string who;
  Thread* first = nullptr;
  for (Thread* const one : threads_) {
    const bool waits =
        one->state == Thread::State::at_barrier || one->state == Thread::State::in_warp;
    if (!waits) continue;
    if (first == nullptr) first = one;
    const std::string name =
        one->state == Thread::State::at_barrier ? "a barrier" : one->meeting.name;
    if (one == first || one->state != first->state) {
      who += sinter::text(who.empty() ? "" : "; ", "thread ", place(*one, one->frame), " waits in ",
                          name);
      if (one != first) break;
    }
  }
  thread_ = first;
  report("divergent barrier", "no thread of the block can go on: " + who, first->frame);
  thread_ = nullptr;
  error_ = 719;
}

// Asynchronous copies are done as late as they may be: where the thread waits for them.
void Running::copy_later(Copy copy) { thread_->copies.back().push_back(std::move(copy)); }

void Running::close_copies() { thread_->copies.emplace_back(); }

void Running::finish_copies(std::size_t but, const void* frame) {
  auto& groups = thread_->copies;
  while (groups.size() > (but == 0 ? 0 : but + 1)) {
    const auto group = std::move(groups.front());
    groups.erase(groups.begin());
    for (const Copy& copy : group) copy(frame);
  }
  if (groups.empty()) groups.emplace_back();
}

}  // namespace emulator
