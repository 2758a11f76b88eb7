#pragma once

#include <algorithm>  // std::all_of, std::copy, std::min, std::stable_sort
#include <atomic>     // std::atomic
#include <cstring>    // std::memcpy
#include <limits>     // std::numeric_limits
#include <utility>    // std::move

#include <sinter/base/error.hpp>
#include <sinter/base/per_thread.hpp>
#include <sinter/runtime/host/executable.hpp>
#include <sinter/runtime/host/launch_fault.hpp>
#include <sinter/runtime/host/loop_state.hpp>
#include <sinter/runtime/host/profiler.hpp>
#include <sinter/runtime/host/spin_wait.hpp>
#include <sinter/runtime/host/thread_pool.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

inline constexpr std::int32_t all_threads = std::numeric_limits<std::int32_t>::max();

// Whether a launch pays for threads that sleep. Until another thread has woken up, and both have
// met at its end, one thread alone does as much as this: in memory, or in registers.
SINTER_INLINE bool is_long(std::int64_t work, std::int64_t bytes) {
  constexpr std::int64_t least_work = 1 << 18, least_bytes = 1 << 20, much_work = 1 << 22;
  return work >= much_work || (work >= least_work && bytes >= least_bytes);
}

// How many threads a launch pays for. Of those that are awake, each more takes a fraction of a
// microsecond: what one thread does in two, by a guess that is rather too long.
SINTER_INLINE std::int32_t threads_for(const schedule::Launch& launch,
                                       std::span<const std::int64_t> symbols) {
  constexpr std::int64_t operations_per_microsecond = 64'000, bytes_per_microsecond = 64'000;
  constexpr std::int64_t share = 2, most = 64;
  const std::int64_t bytes =
      evaluate(launch.bytes_read, symbols) + evaluate(launch.bytes_written, symbols);
  if (is_long(evaluate(launch.work, symbols), bytes)) return all_threads;
  const std::int64_t microseconds =
      evaluate(launch.operations, symbols) / operations_per_microsecond +
      bytes / bytes_per_microsecond;
  return static_cast<std::int32_t>(std::min(1 + microseconds / share, most));
}

// A kernel of more work is shared by all threads; the others go to whoever is free, in chunks.
inline constexpr std::int64_t most_work_of_one_thread = 1 << 16;
inline constexpr std::int64_t work_of_chunk = 1 << 14;

// What LoopState::finish() copies with on the host.
inline constexpr auto copy_here = [](void* to, const void* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
};

SINTER_INLINE bool is_static(const schedule::Plan& plan) {
  const auto is_number = [](Extent extent) { return extent.is_number(); };
  return plan.arena_bytes.is_number() &&
         std::all_of(plan.buffers.begin(), plan.buffers.end(),
                     [](const schedule::Buffer& buffer) { return buffer.offset.is_number(); }) &&
         std::all_of(plan.launches.begin(), plan.launches.end(),
                     [&](const schedule::Launch& launch) {
                       return launch.work.is_number() && launch.bytes_read.is_number() &&
                              launch.bytes_written.is_number() &&
                              std::all_of(launch.sizes.begin(), launch.sizes.end(), is_number);
                     });
}

}  // namespace detail

// Pointers and sizes of one call, in one vector each; kept by the thread for its next call.
struct Executable::Call {
  std::span<const std::int64_t> symbols{};
  std::vector<void*> pointers{};
  std::vector<std::int64_t> own_offsets{};  // of a plan that is not static, as the next two
  std::vector<long> own_sizes{};
  std::vector<std::int32_t> threads{};
  const long* sizes = nullptr;
  bool is_long = false;  // some launch is worth waking all threads
  Fault fault{};
  std::atomic<std::size_t> faulty_step{0};
  std::unique_ptr<Meeting[]> meetings{};  // of each joint
  std::size_t meeting_count = 0;
  std::vector<Derived> loans{};        // for the time of the call
  std::vector<std::size_t> watched{};  // what Watch calls each step, while it is on
};

SINTER_INLINE Executable::Executable(schedule::Plan plan,
                                     std::shared_ptr<const compiler::Module> module)
    : plan_(std::move(plan)), module_(std::move(module)), is_static_(detail::is_static(plan_)) {
  for (const schedule::Plan& body : plan_.bodies) {
    bodies_.push_back(std::make_unique<Executable>(body, module_));
  }
  prepare();
}

SINTER_INLINE void Executable::add_slots(const schedule::Launch& launch) {
  for (const std::int32_t number : launch.buffers) {
    const schedule::Buffer& buffer = plan_.buffers[static_cast<std::size_t>(number)];
    const auto pointer = static_cast<std::int32_t>(pointers_++);
    switch (buffer.home) {
      case schedule::Home::input:
        input_slots_.push_back({pointer, buffer.position});
        break;
      case schedule::Home::output:
        output_slots_.push_back({pointer, buffer.position});
        break;
      case schedule::Home::arena:
        arena_slots_.push_back({pointer, number});
    }
  }
  for (const schedule::Kept& kept : launch.kept) {
    kept_slots_.push_back({static_cast<std::int32_t>(pointers_++), kept});
    kept_inputs_.push_back(kept.input);
  }
}

SINTER_INLINE void Executable::prepare() {
  std::size_t sizes = 0;
  for (const schedule::Launch& launch : plan_.launches) {
    Step step;
    if (launch.control >= 0) {
      control_steps_.push_back(steps_.size());
    } else {
      step.function = reinterpret_cast<KernelFunction>(
          module_->function(static_cast<std::size_t>(launch.kernel)));
    }
    step.pointers = static_cast<std::int32_t>(pointers_);
    step.sizes = static_cast<std::int32_t>(sizes);
    step.can_fault = !launch.checks.empty();
    add_parts(step, launch);
    add_slots(launch);
    sizes += launch.sizes.size();
    if (is_static_) {
      for (const Extent& size : launch.sizes) sizes_.push_back(size.number());
      step.threads = detail::threads_for(launch, {});
      is_long_ = is_long_ || step.threads == detail::all_threads;
    }
    steps_.push_back(step);
  }
  if (!is_static_) return;
  for (const schedule::Buffer& buffer : plan_.buffers) offsets_.push_back(buffer.offset.number());
  arena_bytes_ = plan_.arena_bytes.number();
}

SINTER_INLINE void Executable::bind_buffers(Call& call, std::span<void* const> inputs,
                                            std::span<void* const> outputs,
                                            std::byte* arena) const {
  call.pointers.resize(pointers_);
  void** const pointers = call.pointers.data();
  for (const Slot& slot : input_slots_) {
    pointers[slot.pointer] = inputs[static_cast<std::size_t>(slot.source)];
  }
  for (const Slot& slot : output_slots_) {
    pointers[slot.pointer] = outputs[static_cast<std::size_t>(slot.source)];
  }
  const std::vector<std::int64_t>& offsets = is_static_ ? offsets_ : call.own_offsets;
  for (const Slot& slot : arena_slots_) {
    pointers[slot.pointer] = arena + offsets[static_cast<std::size_t>(slot.source)];
  }
}

// Sizes and offsets of a call.
SINTER_INLINE void Executable::bind_sizes(Call& call) const {
  call.sizes = sizes_.data();
  call.is_long = is_long_;
  if (is_static_) return;
  call.own_sizes.clear(), call.own_offsets.clear(), call.threads.clear();
  call.is_long = false;
  for (const schedule::Launch& launch : plan_.launches) {
    for (const Extent& size : launch.sizes) {
      call.own_sizes.push_back(evaluate(size, call.symbols));
    }
    call.threads.push_back(detail::threads_for(launch, call.symbols));
    call.is_long = call.is_long || call.threads.back() == detail::all_threads;
  }
  for (const schedule::Buffer& buffer : plan_.buffers) {
    call.own_offsets.push_back(evaluate(buffer.offset, call.symbols));
  }
  call.sizes = call.own_sizes.data();
}

SINTER_INLINE void Executable::launch(Call& call, std::size_t step, long thread,
                                      long threads) const {
  const Step& known = steps_[step];
  if (known.joint >= 0) return launch_joint(call, known.joint, thread, threads);
  known.function(call.pointers.data() + known.pointers, call.sizes + known.sizes, &call.fault,
                 thread, threads);
}

SINTER_INLINE void Executable::run_kernels(Call& call, std::size_t first, std::size_t last) const {
  if (stopwatch_ != nullptr) return run_kernels<&Executable::launch_measured>(call, first, last);
  if (!Watch::is_on()) return run_kernels<&Executable::launch>(call, first, last);
  announce(call, first, last);
  run_kernels<&Executable::launch_watched>(call, first, last);
}

// The kernels between control flow, which is run in this thread.
SINTER_INLINE void Executable::run_steps(Call& call) const {
  std::size_t first = 0;
  for (const std::size_t step : control_steps_) {
    run_kernels(call, first, step);
    run_control(call, step);
    first = step + 1;
  }
  run_kernels(call, first, steps_.size());
}

// A kernel never calls back, but control flow runs plans within plans: each has a call of its own,
// which the thread keeps.
class Executable::CallScope {
 public:
  CallScope() {
    if (calls_.list.size() == calls_.depth) calls_.list.push_back(std::make_unique<Call>());
    ++calls_.depth;
  }
  ~CallScope() {
    call().loans.clear();
    --calls_.depth;
  }
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

  Call& call() const { return *calls_.list[calls_.depth - 1]; }

 private:
  struct CallsOfThread {
    std::vector<std::unique_ptr<Call>> list{};
    std::size_t depth = 0;
  };
  CallsOfThread& calls_ = per_thread<CallsOfThread>();
};

// Outputs that are written only where they change, unless they are given the memory of the input.
SINTER_INLINE void Executable::begin_outputs(std::span<void* const> inputs,
                                             std::span<void* const> outputs,
                                             std::span<const std::int64_t> symbols) const {
  for (const schedule::Update& update : plan_.begun) {
    const auto output = static_cast<std::size_t>(update.output);
    const void* const from = inputs[static_cast<std::size_t>(update.input)];
    if (outputs[output] == from) continue;
    const auto id = static_cast<std::size_t>(plan_.outputs[output]);
    const schedule::Buffer& buffer = plan_.buffers[id];
    const std::int64_t elements = evaluate(buffer.elements, symbols);
    if (elements == 0) continue;
    std::memcpy(outputs[output], from,
                static_cast<std::size_t>(elements) * info(buffer.dtype).size);
  }
}

SINTER_INLINE void Executable::run(std::span<void* const> inputs, std::span<void* const> outputs,
                                   std::span<const std::int64_t> symbols, Where where,
                                   std::span<const Storage* const> kept_from) const {
  const CallScope scope;
  Call& call = scope.call();
  call.symbols = symbols;
  call.fault = {};
  const std::int64_t bytes =
      arena_bytes_ >= 0 ? arena_bytes_ : evaluate(plan_.arena_bytes, symbols);
  bind_sizes(call);
  prepare_meetings(call);
  begin_outputs(inputs, outputs, symbols);
  const auto execute = [&](std::byte* arena) {
    bind_buffers(call, inputs, outputs, arena);
    bind_kept(call, kept_from);
    run_steps(call);
  };
  if (bytes == 0) return execute(nullptr);
  const ArenaPool::Arena arena = arenas_.take(static_cast<std::size_t>(bytes), where);
  execute(arena.at(0));
}

// Launches of several kernels: no barrier between those that run together.

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

// What earlier calls kept for a call, and memory for what this one keeps.
SINTER_INLINE void Executable::bind_kept(Call& call,
                                         std::span<const Storage* const> kept_from) const {
  for (std::size_t i = 0; i < kept_slots_.size(); ++i) {
    const schedule::Kept& kept = kept_slots_[i].kept;
    void* memory = nullptr;
    if (kept_from.size() == kept_slots_.size()) {
      call.loans.emplace_back(*kept_from[i], kept.key, static_cast<std::size_t>(kept.bytes));
      memory = call.loans.back().data();
    }
    call.pointers[static_cast<std::size_t>(kept_slots_[i].pointer)] = memory;
  }
}

// Which threads run a kernel.

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

// Runs of kernels that somebody watches or measures.

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

// Branches and loops: plans that are run between the kernels of another.

SINTER_INLINE void Executable::run_control(const Call& call, std::size_t step) const {
  const schedule::Launch& launch = plan_.launches[step];
  const schedule::Control& control = plan_.controls[static_cast<std::size_t>(launch.control)];
  void* const* const pointers = call.pointers.data() + steps_[step].pointers;
  if (control.op == Op::while_loop) return run_while(call, control, pointers);
  if (control.op == Op::scan) return run_scan(call, control, pointers);
  const auto inputs = static_cast<std::size_t>(control.inputs);
  const bool holds = *static_cast<const unsigned char*>(pointers[0]) != 0;
  const auto body = static_cast<std::size_t>(control.bodies[holds ? 0 : 1]);
  bodies_[body]->run({pointers + 1, inputs - 1},
                     {pointers + inputs, static_cast<std::size_t>(control.results)}, call.symbols);
}

SINTER_INLINE void Executable::run_while(const Call& call, const schedule::Control& control,
                                         void* const* pointers) const {
  const auto inputs = static_cast<std::size_t>(control.inputs);
  const auto states = static_cast<std::size_t>(control.states);
  const std::vector<std::int64_t> bytes = detail::sizes_of(control, call.symbols);
  detail::LoopState state({pointers + inputs, states}, {pointers + inputs + states, states}, bytes);
  std::vector<void*> given(pointers, pointers + inputs);
  alignas(64) unsigned char holds[64];
  void* const predicate = holds;
  for (std::int64_t step = 0;; ++step) {
    bodies_[static_cast<std::size_t>(control.bodies[0])]->run(given, {&predicate, 1}, call.symbols);
    if (holds[0] == 0) break;
    void** const next = state.next(step);
    bodies_[static_cast<std::size_t>(control.bodies[1])]->run(given, {next, states}, call.symbols);
    std::copy(next, next + states, given.begin());
  }
  state.finish(given, detail::copy_here);
}

SINTER_INLINE void Executable::run_scan(const Call& call, const schedule::Control& control,
                                        void* const* pointers) const {
  const auto inputs = static_cast<std::size_t>(control.inputs);
  const auto carries = static_cast<std::size_t>(control.states);
  const auto xs = static_cast<std::size_t>(control.xs);
  const auto results = static_cast<std::size_t>(control.results);
  const std::vector<std::int64_t> bytes = detail::sizes_of(control, call.symbols);
  void* const* const outputs = pointers + inputs;
  detail::LoopState state({outputs, carries}, {outputs + results, carries}, bytes);
  std::vector<void*> given(pointers, pointers + inputs), found(outputs, outputs + results);
  const std::int64_t length = evaluate(control.length, call.symbols);
  for (std::int64_t step = 0; step < length; ++step) {
    const std::int64_t index = control.reverse ? length - 1 - step : step;
    for (std::size_t i = carries; i < carries + xs; ++i) {
      given[i] = detail::step_at(pointers[i], index, bytes[i]);
    }
    void** const next = state.next(length - 1 - step);
    std::copy(next, next + carries, found.begin());
    for (std::size_t i = carries; i < results; ++i) {
      found[i] = detail::step_at(outputs[i], index, bytes[xs + i]);
    }
    bodies_[static_cast<std::size_t>(control.bodies[0])]->run(given, found, call.symbols);
    std::copy(next, next + carries, given.begin());
  }
  state.finish({given.data(), carries}, detail::copy_here);
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
