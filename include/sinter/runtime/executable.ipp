#pragma once

#include <algorithm>  // std::any_of
#include <atomic>     // std::atomic

#include <sinter/base/error.hpp>
#include <sinter/runtime/executable.hpp>
#include <sinter/runtime/team.hpp>
#include <sinter/symbol/evaluate.hpp>

namespace sinter::inline SINTER_ABI::runtime {

namespace detail {

/// From so many innermost iterations on, a kernel pays for more than one thread.
inline constexpr std::int64_t shared_work = 32768;

SINTER_INLINE bool is_static(const schedule::Launch& launch) {
  return launch.work.is_number() &&
         std::all_of(launch.sizes.begin(), launch.sizes.end(),
                     [](Extent size) { return size.is_number(); });
}

}  // namespace detail

// Pointers and sizes of one call, in one vector each; kept by the thread for its next call.
struct Executable::Call {
  std::span<const std::int64_t> symbols{};
  std::vector<void*> buffers{};
  std::vector<void*> pointers{};
  std::vector<long> sizes{};
  std::vector<std::int64_t> work{};
  Fault fault{};
  std::atomic<std::size_t> faulty_step{0};
};

SINTER_INLINE Executable::Executable(schedule::Plan plan,
                                     std::shared_ptr<const compiler::Module> module)
    : plan_(std::move(plan)), module_(std::move(module)) {
  prepare();
}

SINTER_INLINE void Executable::prepare() {
  std::int32_t slots = 0, sizes = 0;
  for (const schedule::Launch& launch : plan_.launches) {
    Step step;
    step.function = reinterpret_cast<KernelFunction>(
        module_->function(static_cast<std::size_t>(launch.kernel)));
    step.buffers = launch.buffers;
    step.is_static = detail::is_static(launch);
    step.can_fault = !launch.faults.empty();
    if (step.is_static) {
      for (const Extent& size : launch.sizes) step.sizes.push_back(size.number());
      step.work = launch.work.number();
    }
    is_static_ = is_static_ && step.is_static;
    first_slot_.push_back(slots);
    first_size_.push_back(sizes);
    slots += static_cast<std::int32_t>(launch.buffers.size());
    sizes += static_cast<std::int32_t>(launch.sizes.size());
    steps_.push_back(std::move(step));
  }
  first_slot_.push_back(slots);
  first_size_.push_back(sizes);
  if (plan_.arena_bytes.is_number()) arena_bytes_ = plan_.arena_bytes.number();
}

SINTER_INLINE void Executable::bind_buffers(Call& call, std::span<void* const> inputs,
                                            std::span<void* const> outputs,
                                            std::byte* arena) const {
  call.buffers.resize(plan_.buffers.size());
  for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
    const schedule::Buffer& buffer = plan_.buffers[i];
    const auto position = static_cast<std::size_t>(buffer.position);
    switch (buffer.home) {
      case schedule::Home::input: call.buffers[i] = inputs[position]; break;
      case schedule::Home::output: call.buffers[i] = outputs[position]; break;
      case schedule::Home::arena: call.buffers[i] = arena + evaluate(buffer.offset, call.symbols);
    }
  }
  call.pointers.clear();
  for (const Step& step : steps_) {
    for (const std::int32_t buffer : step.buffers) {
      call.pointers.push_back(call.buffers[static_cast<std::size_t>(buffer)]);
    }
  }
}

SINTER_INLINE void Executable::bind_sizes(Call& call) const {
  call.sizes.clear();
  call.work.clear();
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    if (step.is_static) {
      call.sizes.insert(call.sizes.end(), step.sizes.begin(), step.sizes.end());
      call.work.push_back(step.work);
      continue;
    }
    for (const Extent& size : plan_.launches[i].sizes) {
      call.sizes.push_back(evaluate(size, call.symbols));
    }
    call.work.push_back(evaluate(plan_.launches[i].work, call.symbols));
  }
}

SINTER_INLINE void Executable::launch(Call& call, std::size_t step, long thread,
                                      long threads) const {
  steps_[step].function(call.pointers.data() + first_slot_[step],
                        call.sizes.data() + first_size_[step], &call.fault, thread, threads);
}

SINTER_INLINE void Executable::run_alone(Call& call) const {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    launch(call, i, 0, 1);
    if (steps_[i].can_fault && call.fault.number != 0) throw_fault(i, call.fault);
  }
}

// All threads walk the list. A kernel that is worth it is shared, between two barriers; the others
// are run by the first thread, without barriers between them.
SINTER_INLINE void Executable::run_shared(Call& call) const {
  alignas(64) unsigned char room[sizeof(Barrier)];
  Barrier* barrier = nullptr;
  std::atomic<bool> ready{false};
  std::atomic<bool> stopped{false};
  auto body = [&](int thread, int threads) {
    if (thread == 0) {
      barrier = new (room) Barrier(threads);
      ready.store(true, std::memory_order_release);
    }
    while (!ready.load(std::memory_order_acquire)) {
    }
    bool met = true;  // since the last step that this thread may not overtake
    for (std::size_t i = 0; i < steps_.size() && !stopped.load(); ++i) {
      const bool shares = call.work[i] >= detail::shared_work && threads > 1;
      if (shares && !met) barrier->wait();
      if (shares || thread == 0) launch(call, i, thread, shares ? threads : 1);
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
  if (stopped) throw_fault(call.faulty_step, call.fault);
}

SINTER_INLINE void Executable::run(std::span<void* const> inputs, std::span<void* const> outputs,
                                   std::span<const std::int64_t> symbols) const {
  static thread_local Call call;  // a kernel never calls back, so a thread has one call at a time
  call.symbols = symbols;
  call.fault = {};
  const std::int64_t bytes =
      arena_bytes_ >= 0 ? arena_bytes_ : evaluate(plan_.arena_bytes, symbols);
  bind_sizes(call);
  const auto execute = [&](std::byte* arena) {
    bind_buffers(call, inputs, outputs, arena);
    const bool pays = std::any_of(call.work.begin(), call.work.end(), [](std::int64_t work) {
      return work >= detail::shared_work;
    });
    pays && num_threads() > 1 ? run_shared(call) : run_alone(call);
  };
  if (bytes == 0) return execute(nullptr);
  const ArenaPool::Arena arena = arenas_.take(static_cast<std::size_t>(bytes));
  execute(arena.at(0));
}

SINTER_INLINE void Executable::throw_fault(std::size_t step, const Fault& fault) const {
  const schedule::Launch& launch = plan_.launches[step];
  const auto number = static_cast<std::size_t>(fault.number - 1);
  throw IndexError({.op = "index",
                    .what = "an index is outside of its axis",
                    .facts = {{"index", text(fault.index)}, {"size", text(fault.bound)}},
                    .rule = "-size <= index < size",
                    .where = number < launch.faults.size() ? launch.faults[number] : Where(),
                    .see = "indexing"});
}

}  // namespace sinter::inline SINTER_ABI::runtime
