#pragma once

#include <algorithm>  // std::copy, std::min, std::stable_sort
#include <atomic>     // std::atomic
#include <cstring>    // std::memcpy
#include <limits>     // std::numeric_limits
#include <utility>    // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/error.hpp>
#include <sinter/base/per_thread.hpp>
#include <sinter/runtime/host/executable.hpp>
#include <sinter/runtime/host/launch_fault.hpp>
#include <sinter/runtime/host/launch_watch.hpp>
#include <sinter/runtime/host/loop_state.hpp>
#include <sinter/runtime/host/profiler.hpp>
#include <sinter/runtime/host/scratch_memory.hpp>
#include <sinter/runtime/host/spin_wait.hpp>
#include <sinter/runtime/host/thread_pool.hpp>
#include <sinter/schedule/ir/custom_stages.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

inline constexpr std::int32_t all_threads = std::numeric_limits<std::int32_t>::max();

// Whether a launch justifies waking sleeping threads. In the time that waking a thread and the
// final barrier take, one thread does this much work, bound by memory or by arithmetic.
SINTER_INLINE bool is_long(std::int64_t work, std::int64_t bytes) {
  constexpr std::int64_t min_work = 1 << 18, min_bytes = 1 << 20, large_work = 1 << 22;
  return work >= large_work || (work >= min_work && bytes >= min_bytes);
}

// The useful number of threads for a launch. Each further awake thread costs a fraction of a
// microsecond; it is used per 2 us of estimated single-thread time (a conservative estimate).
SINTER_INLINE std::int32_t threads_for(const schedule::Launch& launch,
                                       Span<const std::int64_t> symbols) {
  constexpr std::int64_t operations_per_microsecond = 64'000, bytes_per_microsecond = 64'000;
  constexpr std::int64_t microseconds_per_thread = 2, most_threads = 64;
  const std::int64_t bytes =
      evaluate(launch.bytes_read, symbols) + evaluate(launch.bytes_written, symbols);
  if (is_long(evaluate(launch.work, symbols), bytes)) return all_threads;
  const std::int64_t microseconds =
      evaluate(launch.operations, symbols) / operations_per_microsecond +
      bytes / bytes_per_microsecond;
  return static_cast<std::int32_t>(
      std::min(1 + microseconds / microseconds_per_thread, most_threads));
}

// In a batched launch, all threads share a kernel of at least this much work; smaller kernels go in
// chunks to whichever thread is free.
inline constexpr std::int64_t min_shared_work = 1 << 16;
inline constexpr std::int64_t work_of_chunk = 1 << 14;

// The host copy for LoopState::write_results().
inline constexpr auto copy_here = [](void* to, const void* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
};

SINTER_INLINE bool is_static(const schedule::Plan& plan) {
  const auto is_number = [](Extent extent) { return extent.is_number(); };
  return plan.arena_bytes.is_number() &&
         all_of(plan.buffers,
                [](const schedule::Buffer& buffer) { return buffer.offset.is_number(); }) &&
         all_of(plan.launches, [&](const schedule::Launch& launch) {
           return launch.work.is_number() && launch.bytes_read.is_number() &&
                  launch.bytes_written.is_number() && all_of(launch.sizes, is_number);
         });
}

}  // namespace detail

// The pointers and sizes of one call; the thread keeps the object for its next call.
struct Executable::Call {
  Span<const std::int64_t> symbols{};
  Vector<void*> pointers{};
  std::vector<std::int64_t> own_offsets{};  // this and the next two: if the plan is not static
  std::vector<long> own_sizes{};
  Vector<std::int32_t> threads{};
  const long* sizes = nullptr;
  bool is_long = false;  // some launch justifies waking all threads
  Fault fault{};
  std::atomic<std::size_t> faulty_step{0};
  std::unique_ptr<LaunchProgress[]> progress{};  // of each batched launch
  std::size_t progress_count = 0;
  Vector<PackedWeight> packed_weights{};
  Vector<std::size_t> profiled_runs{};  // the number of each step's run in KernelProfiler
};

SINTER_INLINE Executable::Executable(schedule::Plan plan, SharedPtr<const compiler::Module> module)
    : plan_(std::move(plan)), module_(std::move(module)), is_static_(detail::is_static(plan_)) {
  for (const schedule::Plan& body : plan_.bodies) {
    bodies_.push_back(make_unique_ptr<Executable>(body, module_));
  }
  provide_scratch_memory(*module_);
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
  for (const schedule::PackedInput& packed : launch.packed_inputs) {
    packed_input_slots_.push_back({static_cast<std::int32_t>(pointers_++), packed});
    packed_inputs_.push_back(packed.input);
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
    add_batched_kernels(step, launch);
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

SINTER_INLINE void Executable::bind_buffers(Call& call, Span<void* const> inputs,
                                            Span<void* const> outputs, std::byte* arena) const {
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
  if (known.batch >= 0) return launch_batched(call, known.batch, thread, threads);
  known.function(call.pointers.data() + known.pointers, call.sizes + known.sizes, &call.fault,
                 thread, threads);
}

SINTER_INLINE void Executable::run_kernels(Call& call, std::size_t first, std::size_t last) const {
  if (launch_watch != nullptr) return run_watched(call, first, last);
  if (timer_ != nullptr) return run_kernels<&Executable::launch_timed>(call, first, last);
  if (!KernelProfiler::is_on()) return run_kernels<&Executable::launch>(call, first, last);
  register_runs(call, first, last);
  run_kernels<&Executable::launch_profiled>(call, first, last);
}

// Runs the kernels between control flow on the thread pool, and control flow on this thread.
SINTER_INLINE void Executable::run_steps(Call& call) const {
  std::size_t first = 0;
  try {
    for (const std::size_t step : control_steps_) {
      run_kernels(call, first, step);
      run_control(call, step);
      first = step + 1;
    }
    run_kernels(call, first, steps_.size());
  } catch (...) {
    abandon_started();
    throw;
  }
}

// Ends what goes on in the background before its memory goes away.
SINTER_INLINE void Executable::abandon_started() const {
  for (const schedule::Control& control : plan_.controls) {
    if (control.code == nullptr) continue;
    const auto* const started = dynamic_cast<const StartingKernel*>(control.code->call.get());
    if (started != nullptr) started->abandon();
  }
}

// Control flow runs plans within plans: each depth of nesting has its own Call, kept per thread.
class Executable::CallScope {
 public:
  CallScope() {
    if (calls_.list.size() == calls_.depth) calls_.list.push_back(make_unique_ptr<Call>());
    ++calls_.depth;
  }
  ~CallScope() {
    call().packed_weights.clear();
    --calls_.depth;
  }
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

  Call& call() const { return *calls_.list[calls_.depth - 1]; }

 private:
  struct CallsOfThread {
    Vector<UniquePtr<Call>> list{};
    std::size_t depth = 0;
  };
  CallsOfThread& calls_ = per_thread<CallsOfThread>();
};

// Sparse in-place updates write only some elements: copy the input unless the output aliases it.
SINTER_INLINE void Executable::initialize_updated_outputs(Span<void* const> inputs,
                                                          Span<void* const> outputs,
                                                          Span<const std::int64_t> symbols) const {
  for (const schedule::Update& update : plan_.sparse_updates) {
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

SINTER_INLINE void Executable::run(Span<void* const> inputs, Span<void* const> outputs,
                                   Span<const std::int64_t> symbols, Where where,
                                   Span<const Storage* const> packed_from) const {
  const CallScope scope;
  Call& call = scope.call();
  call.symbols = symbols;
  call.fault = {};
  const std::int64_t bytes =
      arena_bytes_ >= 0 ? arena_bytes_ : evaluate(plan_.arena_bytes, symbols);
  bind_sizes(call);
  reset_progress(call);
  initialize_updated_outputs(inputs, outputs, symbols);
  const auto execute = [&](std::byte* arena) {
    bind_buffers(call, inputs, outputs, arena);
    bind_packed_inputs(call, packed_from);
    run_steps(call);
  };
  if (bytes == 0) return execute(nullptr);
  const ArenaPool::Arena arena = arenas_.take(static_cast<std::size_t>(bytes), where);
  execute(arena.at(0));
}

// Batched launches: several kernels without barriers between them.

// Of the parallel kernels, the largest come first; small ones, each for one thread, come last.
SINTER_INLINE void Executable::add_batched_kernels(Step& step, const schedule::Launch& launch) {
  if (launch.entries.empty()) return;
  const auto begin = static_cast<std::int32_t>(batched_kernels_.size());
  schedule::for_each_entry(launch, [&](const schedule::Entry& entry, std::size_t buffer,
                                       std::size_t size) {
    const bool is_known = entry.work.is_number();
    const std::int64_t work = is_known ? entry.work.number() : detail::min_shared_work;
    batched_kernels_.push_back({reinterpret_cast<KernelFunction>(
                                    module_->function(static_cast<std::size_t>(entry.kernel))),
                                entry.kernel, step.pointers + static_cast<std::int32_t>(buffer),
                                step.sizes + static_cast<std::int32_t>(size), entry.phase, work});
  });
  std::stable_sort(batched_kernels_.begin() + begin, batched_kernels_.end(),
                   [](const BatchedKernel& a, const BatchedKernel& b) {
                     if (a.phase != b.phase) return a.phase < b.phase;
                     return a.phase == schedule::LaunchPhase::parallel && a.work > b.work;
                   });
  add_batched_launch(step, begin);
}

// Adds a batched launch of the kernels from `begin` on, and the chunks of its small kernels.
SINTER_INLINE void Executable::add_batched_launch(Step& step, std::int32_t begin) {
  BatchedLaunch batch{begin};
  const auto is = [&](std::size_t i, schedule::LaunchPhase phase) {
    return i < batched_kernels_.size() && batched_kernels_[i].phase == phase;
  };
  auto next = static_cast<std::size_t>(begin);
  while (is(next, schedule::LaunchPhase::prologue)) ++next;
  batch.parallel = static_cast<std::int32_t>(next);
  while (is(next, schedule::LaunchPhase::parallel) &&
         batched_kernels_[next].work >= detail::min_shared_work) {
    ++next;
  }
  batch.first_chunk = static_cast<std::int32_t>(chunks_.size());
  while (is(next, schedule::LaunchPhase::parallel)) {
    chunks_.push_back(static_cast<std::int32_t>(next));
    for (std::int64_t work = 0;
         work < detail::work_of_chunk && is(next, schedule::LaunchPhase::parallel); ++next) {
      work += batched_kernels_[next].work + 64;  // 64: the cost of a call
    }
  }
  batch.epilogue = static_cast<std::int32_t>(next);
  batch.end = static_cast<std::int32_t>(batched_kernels_.size());
  batch.end_chunk = static_cast<std::int32_t>(chunks_.size());
  step.batch = static_cast<std::int32_t>(batched_launches_.size());
  batched_launches_.push_back(batch);
}

SINTER_INLINE void Executable::run_batched_kernels(Call& call, std::int32_t first,
                                                   std::int32_t last, long thread,
                                                   long threads) const {
  for (std::int32_t i = first; i < last; ++i) {
    const BatchedKernel& kernel = batched_kernels_[static_cast<std::size_t>(i)];
    kernel.function(call.pointers.data() + kernel.pointers, call.sizes + kernel.sizes, &call.fault,
                    thread, threads);
  }
}

SINTER_INLINE void Executable::launch_batched(Call& call, std::int32_t number, long thread,
                                              long threads) const {
  const BatchedLaunch& batch = batched_launches_[static_cast<std::size_t>(number)];
  if (threads == 1) return run_batched_kernels(call, batch.prologue, batch.end, 0, 1);
  LaunchProgress& progress = call.progress[static_cast<std::size_t>(number)];
  if (batch.prologue < batch.parallel && thread == 0) {
    run_batched_kernels(call, batch.prologue, batch.parallel, 0, 1);
    progress.prologue_done.store(1, std::memory_order_release);
    progress.prologue_done.notify_all();
  } else if (batch.prologue < batch.parallel) {
    detail::wait_while(progress.prologue_done, 0, static_cast<int>(threads));
  }
  const auto chunk_at = [&](std::int32_t chunk) {
    return chunk < batch.end_chunk ? chunks_[static_cast<std::size_t>(chunk)] : batch.epilogue;
  };
  run_batched_kernels(call, batch.parallel, chunk_at(batch.first_chunk), thread, threads);
  const std::int32_t chunks = batch.end_chunk - batch.first_chunk;
  for (int next = 0;
       (next = progress.next_chunk.fetch_add(1, std::memory_order_relaxed)) < chunks;) {
    const std::int32_t chunk = batch.first_chunk + next;
    run_batched_kernels(call, chunk_at(chunk), chunk_at(chunk + 1), 0, 1);
  }
  if (batch.epilogue == batch.end) return;
  const int finished = progress.finished_threads.fetch_add(1, std::memory_order_acq_rel) + 1;
  if (finished == threads) run_batched_kernels(call, batch.epilogue, batch.end, 0, 1);
}

// Called before any thread starts.
SINTER_INLINE void Executable::reset_progress(Call& call) const {
  if (batched_launches_.empty()) return;
  if (call.progress_count < batched_launches_.size()) {
    call.progress = std::make_unique<LaunchProgress[]>(batched_launches_.size());
    call.progress_count = batched_launches_.size();
  }
  for (std::size_t i = 0; i < batched_launches_.size(); ++i) {
    call.progress[i].prologue_done.store(0, std::memory_order_relaxed);
    call.progress[i].next_chunk.store(0, std::memory_order_relaxed);
    call.progress[i].finished_threads.store(0, std::memory_order_relaxed);
  }
}

// Binds the packed panels that earlier calls cached, or the memory that this call fills.
SINTER_INLINE void Executable::bind_packed_inputs(Call& call,
                                                  Span<const Storage* const> packed_from) const {
  for (std::size_t i = 0; i < packed_input_slots_.size(); ++i) {
    const schedule::PackedInput& packed = packed_input_slots_[i].packed;
    void* memory = nullptr;
    if (packed_from.size() == packed_input_slots_.size()) {
      call.packed_weights.emplace_back(*packed_from[i], packed.key,
                                       static_cast<std::size_t>(packed.bytes));
      memory = call.packed_weights.back().data();
    }
    call.pointers[static_cast<std::size_t>(packed_input_slots_[i].pointer)] = memory;
  }
}

// How many threads run a kernel.

SINTER_INLINE std::int32_t Executable::threads_of(const Call& call, std::size_t step) const {
  return is_static_ ? steps_[step].threads : call.threads[step];
}

// Runs a step on this thread and the threads that are awake already.
template <auto launch>
void Executable::run_step(Call& call, std::size_t step) const {
  const std::int32_t allowed_threads = threads_of(call, step);
  if (allowed_threads <= 1) return (this->*launch)(call, step, 0, 1);
  auto body = [&](int thread, int threads) { (this->*launch)(call, step, thread, threads); };
  run_short_on_threads(allowed_threads, body);
}

template <auto launch>
void Executable::run_launches_separately(Call& call, std::size_t first, std::size_t last) const {
  for (std::size_t i = first; i < last; ++i) {
    run_step<launch>(call, i);
    if (steps_[i].can_fault && call.fault.number != 0) throw_fault(plan_.launches[i], call.fault);
  }
}

// One parallel region for all launches. All threads walk the list: they share each large launch,
// between two barriers; the first thread runs the small ones, without barriers between them.
template <auto launch>
void Executable::run_launches_in_one_region(Call& call, std::size_t first, std::size_t last) const {
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
    detail::wait_while(ready, 0, threads);
    bool is_synchronized = true;  // a barrier followed the last step that others may depend on
    for (std::size_t i = first; i < last && !stopped.load(); ++i) {
      const int sharing = std::min(threads_of(call, i), threads);
      const bool shares = sharing > 1;
      if (shares && !is_synchronized) barrier->wait();
      if (thread < sharing) (this->*launch)(call, i, thread, sharing);
      if (shares) barrier->wait();
      is_synchronized = shares;
      if (!steps_[i].can_fault) continue;
      if (!shares) barrier->wait();
      is_synchronized = true;
      if (call.fault.number != 0) call.faulty_step = i, stopped.store(true);
      barrier->wait();
    }
  };
  run_on_threads(num_threads(), body);
  if (stopped) throw_fault(plan_.launches[call.faulty_step.load()], call.fault);
}

SINTER_INLINE void Executable::run_watched(Call& call, std::size_t first, std::size_t last) const {
  for (std::size_t i = first; i < last; ++i) {
    run_launches_separately<&Executable::launch>(call, i, i + 1);
    launch_watch->launched(plan_, plan_.launches[i], call.pointers.data() + steps_[i].pointers,
                           call.symbols);
  }
}

template <auto launch>
void Executable::run_kernels(Call& call, std::size_t first, std::size_t last) const {
  bool is_long = call.is_long && num_threads() > 1;
  if (is_long && !control_steps_.empty()) {
    std::size_t step = first;
    while (step < last && threads_of(call, step) != detail::all_threads) ++step;
    is_long = step < last;
  }
  is_long ? run_launches_in_one_region<launch>(call, first, last)
          : run_launches_separately<launch>(call, first, last);
}

// Profiled and timed launches.

// Registers all runs before the first one starts, so that each costs no more than two readings of
// the clock between kernels.
SINTER_INLINE void Executable::register_runs(Call& call, std::size_t first,
                                             std::size_t last) const {
  call.profiled_runs.resize(steps_.size());
  for (std::size_t i = first; i < last; ++i) {
    call.profiled_runs[i] =
        KernelProfiler::process().add_run(describe_run(*module_, plan_.launches[i], call.symbols));
  }
}

SINTER_INLINE void Executable::launch_profiled(Call& call, std::size_t step, long thread,
                                               long threads) const {
  const std::int64_t start = monotonic_nanoseconds();
  launch(call, step, thread, threads);
  const std::int64_t end = monotonic_nanoseconds();
  KernelProfiler::process().add_span(
      {call.profiled_runs[step], static_cast<int>(thread), start, end});
}

SINTER_INLINE void Executable::use(SharedPtr<const compiler::Module> module) {
  module_ = std::move(module);
  const auto function = [&](std::int32_t kernel) {
    return reinterpret_cast<KernelFunction>(module_->function(static_cast<std::size_t>(kernel)));
  };
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (steps_[i].function != nullptr) steps_[i].function = function(plan_.launches[i].kernel);
  }
  for (BatchedKernel& kernel : batched_kernels_) kernel.function = function(kernel.kernel);
  for (const auto& body : bodies_) body->use(module_);
}

SINTER_INLINE void Executable::measure(KernelTimer* timer) {
  timer_ = timer;
  for (const auto& body : bodies_) body->measure(timer);
}

SINTER_INLINE void Executable::launch_timed(Call& call, std::size_t step, long thread,
                                            long threads) const {
  const auto kernel = static_cast<std::size_t>(plan_.launches[step].kernel);
  if (thread == 0) timer_->begin(kernel);
  const std::int64_t start = KernelTimer::now();
  launch(call, step, thread, threads);
  timer_->end(KernelTimer::now() - start);
}

// Branches and loops: plans that run between the kernels of another plan.

SINTER_INLINE void Executable::run_control(const Call& call, std::size_t step) const {
  const schedule::Launch& launch = plan_.launches[step];
  const schedule::Control& control = plan_.controls[static_cast<std::size_t>(launch.control)];
  void* const* const pointers = call.pointers.data() + steps_[step].pointers;
  if (control.op == Op::while_loop) return run_while(call, control, pointers);
  if (control.op == Op::scan) return run_scan(call, control, pointers);
  if (control.op == Op::custom) return custom_stages().run(control, pointers, call.symbols);
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
  Vector<void*> given(pointers, pointers + inputs);
  alignas(64) unsigned char holds[64];
  void* const predicate = holds;
  for (std::int64_t step = 0;; ++step) {
    bodies_[static_cast<std::size_t>(control.bodies[0])]->run(given, {&predicate, 1}, call.symbols);
    if (holds[0] == 0) break;
    void** const next = state.next(step);
    bodies_[static_cast<std::size_t>(control.bodies[1])]->run(given, {next, states}, call.symbols);
    std::copy(next, next + states, given.begin());
  }
  state.write_results(given, detail::copy_here);
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
  Vector<void*> given(pointers, pointers + inputs), targets(outputs, outputs + results);
  const std::int64_t length = evaluate(control.length, call.symbols);
  for (std::int64_t step = 0; step < length; ++step) {
    const std::int64_t index = control.reverse ? length - 1 - step : step;
    for (std::size_t i = carries; i < carries + xs; ++i) {
      given[i] = detail::step_at(pointers[i], index, bytes[i]);
    }
    void** const next = state.next(length - 1 - step);
    std::copy(next, next + carries, targets.begin());
    for (std::size_t i = carries; i < results; ++i) {
      targets[i] = detail::step_at(outputs[i], index, bytes[xs + i]);
    }
    bodies_[static_cast<std::size_t>(control.bodies[0])]->run(given, targets, call.symbols);
    std::copy(next, next + carries, given.begin());
  }
  state.write_results({given.data(), carries}, detail::copy_here);
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
