#pragma once

#include <algorithm>  // std::all_of
#include <atomic>     // std::atomic

#include <sinter/base/error.hpp>
#include <sinter/runtime/data_error.hpp>
#include <sinter/runtime/executable.hpp>
#include <sinter/runtime/team.hpp>
#include <sinter/runtime/watch.hpp>
#include <sinter/symbol/evaluate.hpp>

namespace sinter::inline SINTER_ABI::runtime {

namespace detail {

// Whether a launch pays for more than one thread. Until another thread has heard of it, and both
// have met at its end, one thread alone does as much as this: in memory, or in registers.
SINTER_INLINE bool pays_to_share(const schedule::Launch& launch,
                                 std::span<const std::int64_t> symbols) {
  constexpr std::int64_t least_work = 1 << 18, least_bytes = 1 << 20, much_work = 1 << 22;
  const std::int64_t work = evaluate(launch.work, symbols);
  if (work < least_work || work >= much_work) return work >= much_work;
  return evaluate(launch.bytes_read, symbols) + evaluate(launch.bytes_written, symbols) >=
         least_bytes;
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
  std::vector<bool> shares{};
  const long* sizes = nullptr;
  bool pays_to_share = false;
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
  if (launch.kept.input < 0) return;
  const auto number = static_cast<std::int32_t>(&launch - plan_.launches.data());
  kept_slots_.push_back({static_cast<std::int32_t>(pointers_++), number});
  kept_inputs_.push_back(launch.kept.input);
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
      step.pays_to_share = detail::pays_to_share(launch, {});
      pays_to_share_ = pays_to_share_ || step.pays_to_share;
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
  call.pays_to_share = pays_to_share_;
  if (is_static_) return;
  call.own_sizes.clear(), call.own_offsets.clear(), call.shares.clear();
  call.pays_to_share = false;
  for (const schedule::Launch& launch : plan_.launches) {
    for (const Extent& size : launch.sizes) {
      call.own_sizes.push_back(evaluate(size, call.symbols));
    }
    call.shares.push_back(detail::pays_to_share(launch, call.symbols));
    call.pays_to_share = call.pays_to_share || call.shares.back();
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

SINTER_INLINE bool Executable::pays(const Call& call, std::size_t step) const {
  return is_static_ ? steps_[step].pays_to_share : call.shares[step];
}

template <auto launch>
void Executable::run_alone(Call& call, std::size_t first, std::size_t last) const {
  for (std::size_t i = first; i < last; ++i) {
    (this->*launch)(call, i, 0, 1);
    if (steps_[i].can_fault && call.fault.number != 0) throw_fault(i, call.fault);
  }
}

// All threads walk the list. A kernel that is worth it is shared, between two barriers; the others
// are run by the first thread, without barriers between them.
template <auto launch>
void Executable::run_shared(Call& call, std::size_t first, std::size_t last) const {
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
    for (std::size_t i = first; i < last && !stopped.load(); ++i) {
      const bool shares = pays(call, i) && threads > 1;
      if (shares && !met) barrier->wait();
      if (shares || thread == 0) (this->*launch)(call, i, thread, shares ? threads : 1);
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

template <auto launch>
void Executable::run_kernels(Call& call, std::size_t first, std::size_t last) const {
  bool shares = call.pays_to_share && num_threads() > 1;
  if (shares && !control_steps_.empty()) {
    std::size_t step = first;
    while (step < last && !pays(call, step)) ++step;
    shares = step < last;
  }
  shares ? run_shared<launch>(call, first, last) : run_alone<launch>(call, first, last);
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
    if (calls().size() == depth()) calls().push_back(std::make_unique<Call>());
    ++depth();
  }
  ~CallScope() {
    call().loans.clear();
    --depth();
  }
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

  Call& call() const { return *calls()[depth() - 1]; }

 private:
  static std::vector<std::unique_ptr<Call>>& calls() {
    static thread_local std::vector<std::unique_ptr<Call>> list;
    return list;
  }
  static std::size_t& depth() {
    static thread_local std::size_t value = 0;
    return value;
  }
};

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
  const auto execute = [&](std::byte* arena) {
    bind_buffers(call, inputs, outputs, arena);
    bind_kept(call, kept_from);
    run_steps(call);
  };
  if (bytes == 0) return execute(nullptr);
  const ArenaPool::Arena arena = arenas_.take(static_cast<std::size_t>(bytes), where);
  execute(arena.at(0));
}

SINTER_INLINE void Executable::throw_fault(std::size_t step, const Fault& fault) const {
  const schedule::Launch& launch = plan_.launches[step];
  const schedule::Check& check = launch.checks.at(static_cast<std::size_t>(fault.number - 1));
  if (check.code == schedule::Code::divisor) {
    throw_division_by_zero(check.op, check.dtype, fault.position, check.where);
  }
  throw_out_of_range(check.op, fault.value, fault.bound, fault.position, check.where);
}

}  // namespace sinter::inline SINTER_ABI::runtime
