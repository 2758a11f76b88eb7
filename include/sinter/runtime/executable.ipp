#pragma once

#include <algorithm>  // std::all_of, std::min
#include <atomic>     // std::atomic
#include <cstring>    // std::memcpy
#include <limits>     // std::numeric_limits

#include <sinter/base/error.hpp>
#include <sinter/base/per_thread.hpp>
#include <sinter/runtime/data_error.hpp>
#include <sinter/runtime/executable.hpp>
#include <sinter/runtime/watch.hpp>
#include <sinter/symbol/evaluate.hpp>

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

}  // namespace sinter::inline SINTER_ABI::detail::runtime
