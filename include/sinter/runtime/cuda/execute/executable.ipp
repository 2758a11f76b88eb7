#pragma once

#include <algorithm>  // std::copy
#include <mutex>      // std::lock_guard

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/log.hpp>
#include <sinter/device/cuda/copy.hpp>
#include <sinter/device/cuda/memory.hpp>
#include <sinter/graph/custom/custom_code.hpp>
#include <sinter/runtime/cuda/execute/custom.hpp>
#include <sinter/runtime/cuda/execute/executable.hpp>
#include <sinter/runtime/cuda/library/call.hpp>
#include <sinter/runtime/cuda/library/stream_call.hpp>
#include <sinter/runtime/cuda/modules.hpp>
#include <sinter/runtime/cuda/profiler.hpp>
#include <sinter/runtime/host/loop_state.hpp>
#include <sinter/runtime/host/profiler.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

// One run of a plan, or of a body.
struct CudaExecutable::Call {
  CudaSubmission& work;
  Where where{};
  Span<void*const> inputs{}, outputs{};
  Span<const std::int64_t> symbols{};
  std::byte* arena = nullptr;
  Storage faults{};
  bool may_have_faults = false;            // launches that can fault ran since the last check
  CudaKernelProfiler* profiler = nullptr;  // null unless a profile is being taken
};

namespace detail {

inline void* address_of(const Storage& memory, std::size_t offset = 0) {
  return reinterpret_cast<void*>(device_address(memory) + offset);
}

// Looks up the storages of the inputs and outputs of a call by address.
struct LookedUpStorages {
  LookedUpStorages(Device device, Span<void* const> inputs, Span<void* const> outputs) {
    for (const auto& some : {inputs, outputs}) {
      for (const void* const address : some) all.push_back(memory_at(device, address));
    }
    for (const Storage& one : all) pointers.push_back(one ? &one : nullptr);
  }
  Vector<Storage> all{};
  Vector<const Storage*> pointers{};
};

}  // namespace detail

SINTER_INLINE CudaExecutable::CudaExecutable(schedule::Plan plan,
                                             SharedPtr<const compiler::Module> module,
                                             Vector<CudaGrid> grids, Device device,
                                             CudaLibraryCalls calls,
                                             const CudaReplayOptions& replay)
    : plan_(std::move(plan)),
      module_(std::move(module)),
      grids_(std::move(grids)),
      device_(device),
      faults_(plan_),
      calls_(std::move(calls)),
      graph_bodies_(replay.bodies) {
  calls_.resize(plan_.kernels.size());
  for (const schedule::Plan& body : plan_.bodies) {
    schedule::Plan own = body;
    own.kernels = plan_.kernels;
    bodies_.push_back(
        make_unique_ptr<CudaExecutable>(std::move(own), module_, grids_, device_, calls_));
  }
  enqueues_ = any_of(plan_.launches,
                     [&](const schedule::Launch& launch) { return enqueues(plan_, launch); });
  if (replay.graphs) choose_replay(replay.updates);
}

SINTER_INLINE void CudaExecutable::choose_replay(Span<const schedule::Update> updates) {
  const std::string reason = CudaReplay::why_not(plan_, updates, graph_bodies_);
  if (reason.empty()) {
    replay_ = make_unique_ptr<CudaReplay>(plan_, grids_, calls_, updates, graph_bodies_);
  } else {
    log(Log::cudagraph,
        text("launched one by one: ", detail::describe(plan_), ", because ", reason));
  }
}

SINTER_INLINE void CudaExecutable::measure(CudaKernelTimer* timer) {
  timer_ = timer;
  for (const auto& body : bodies_) body->measure(timer);
}

// After an emulator replaces the driver, the context is another one and functions are loaded again.
SINTER_INLINE void CudaExecutable::load(CudaContext& context, Where where) const {
  if (loaded_in_.load(std::memory_order_acquire) == &context) return;
  const std::lock_guard lock(mutex_);
  if (loaded_in_.load(std::memory_order_relaxed) == &context) return;
  Functions functions;
  for (std::size_t i = 0; i < module_->size(); ++i) {
    const compiler::LoadedKernel& kernel = module_->kernel(i);
    functions.push_back(load_function(context, kernel.binary, kernel.symbol, where));
  }
  for (std::size_t i = 0; replay_ && graph_bodies_.control && i < graph_bodies_.control->size();
       ++i) {
    const compiler::LoadedKernel& kernel = graph_bodies_.control->kernel(i);
    functions.push_back(load_function(context, kernel.binary, kernel.symbol, where));
  }
  functions_ = std::move(functions);
  prepared_.clear();
  for (const auto& body : bodies_) body->load(context, where);
  loaded_in_.store(&context, std::memory_order_release);
}

// Prepares what a replayed graph enqueues, once for each combination of sizes.
SINTER_INLINE void CudaExecutable::prepare(Span<const std::int64_t> symbols) const {
  if (!enqueues_ || replay_ == nullptr) return;
  const Vector<std::int64_t> sizes(symbols.begin(), symbols.end());
  {
    const std::lock_guard lock(mutex_);
    if (contains(prepared_, sizes)) return;
  }
  for (const schedule::Launch& launch : plan_.launches) {
    if (!enqueues(plan_, launch)) continue;
    const Vector<void*> nowhere(launch.buffers.size());
    const auto& control = plan_.controls[static_cast<std::size_t>(launch.control)];
    StreamCall(control, nowhere, symbols).prepare(device_);
  }
  const std::lock_guard lock(mutex_);
  prepared_.push_back(sizes);
}

// Sparse in-place updates write only some elements: copy the input unless the output aliases it.
SINTER_INLINE void CudaExecutable::initialize_updated_outputs(CudaSubmission& work,
                                                              const CudaCall& call) const {
  for (const schedule::Update& update : plan_.sparse_updates) {
    const auto input = static_cast<std::size_t>(update.input);
    const auto output = static_cast<std::size_t>(update.output);
    void *const from = call.inputs[input], *const to = call.outputs[output];
    if (to == from) continue;
    const auto& buffer = plan_.buffers[static_cast<std::size_t>(plan_.outputs[output])];
    const auto bytes = static_cast<std::size_t>(detail::bytes_of(buffer, call.symbols));
    if (bytes == 0) continue;
    work.reads(*call.held[input]);
    work.writes(*call.held[call.inputs.size() + output]);
    work.check(work.driver().copy_on_device_async(reinterpret_cast<CudaDriver::Address>(to),
                                                  reinterpret_cast<CudaDriver::Address>(from),
                                                  bytes, work.stream().handle),
               "cuMemcpyDtoDAsync");
  }
}

SINTER_INLINE void CudaExecutable::run(Span<void* const> inputs, Span<void* const> outputs,
                                       Span<const std::int64_t> symbols, Where where,
                                       Span<const Storage* const> held) const {
  if (held.size() != inputs.size() + outputs.size()) {
    const detail::LookedUpStorages found(device_, inputs, outputs);
    return run(inputs, outputs, symbols, where, found.pointers);
  }
  CudaSubmission work(device_, where);
  load(work.context(), where);
  prepare(symbols);
  const CudaCall given{inputs, outputs, held, symbols, functions_, where};
  initialize_updated_outputs(work, given);
  const bool is_profiled = KernelProfiler::is_on();
  if (replay_ && !is_profiled && replay_->run(work, given)) return;
  Vector<Storage> copies;  // alive until all launches are submitted
  Vector<void*> addresses;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    addresses.push_back(inputs[i]);
    if (held[i] != nullptr && held[i]->device() == device_) continue;
    const auto& buffer = plan_.buffers[static_cast<std::size_t>(plan_.inputs[i])];
    const auto bytes = static_cast<std::size_t>(detail::bytes_of(buffer, symbols));
    copies.push_back(copied_to(Storage::borrow(inputs[i], bytes), device_, where));
    work.reads(copies.back());
    addresses.back() = copies.back().data();
  }
  work.reads(held.first(inputs.size()));
  work.writes(held.subspan(inputs.size()));
  Call call{work, where, addresses, outputs, symbols};
  if (!is_profiled) return run_plan(call);
  CudaKernelProfiler profiler(work);
  call.profiler = &profiler;
  run_plan(call);
  profiler.report();
}

SINTER_INLINE Storage CudaExecutable::take_arena(Call& call) const {
  const std::int64_t bytes = evaluate(plan_.arena_bytes, call.symbols);
  if (bytes == 0) return {};
  Storage arena = Storage::allocate(static_cast<std::size_t>(bytes), device_, call.where,
                                    "intermediate values");
  call.work.writes(arena);
  call.arena = static_cast<std::byte*>(arena.data());
  return arena;
}

SINTER_INLINE void CudaExecutable::run_plan(Call& call) const {
  const Storage arena = take_arena(call);
  if (faults_.any()) {
    const std::size_t bytes = faults_.bytes();
    call.faults = Storage::allocate(bytes, device_, call.where, "faults in the data");
    call.work.writes(call.faults);
    call.work.check(call.work.driver().set_bytes_async(device_address(call.faults), 0, bytes,
                                                       call.work.stream().handle),
                    "cuMemsetD8Async");
  }
  for (std::size_t step = 0; step < plan_.launches.size(); ++step) run_launch(call, step);
  throw_faults(call);
}

SINTER_INLINE bool CudaExecutable::writes_output(const schedule::Launch& launch) const {
  return any_of(launch.buffers, [&](std::int32_t buffer) {
    return plan_.buffers[static_cast<std::size_t>(buffer)].home == schedule::Home::output;
  });
}

// Checks for faults before a launch writes an output, and before control flow reads a condition.
SINTER_INLINE void CudaExecutable::run_launch(Call& call, std::size_t step) const {
  const schedule::Launch& launch = plan_.launches[step];
  const bool needs_check = launch.control >= 0 || writes_output(launch);
  if (call.may_have_faults && needs_check) throw_faults(call);
  if (launch.control >= 0) return run_control(call, launch);
  void* fault = nullptr;
  if (faults_.has(step)) {
    fault = detail::address_of(call.faults, faults_.offset(step));
    if (!launch.is_checked) call.may_have_faults = true;
  }
  run_kernel(call, launch, fault);
}

SINTER_INLINE Vector<void*> pointers_of(const schedule::Plan& plan, const schedule::Launch& launch,
                                        Span<void* const> inputs, Span<void* const> outputs,
                                        std::byte* arena, Span<const std::int64_t> symbols) {
  Vector<void*> result;
  for (const std::int32_t id : launch.buffers) {
    const schedule::Buffer& buffer = plan.buffers[static_cast<std::size_t>(id)];
    const auto position = static_cast<std::size_t>(buffer.position);
    switch (buffer.home) {
      case schedule::Home::input:
        result.push_back(inputs[position]);
        break;
      case schedule::Home::output:
        result.push_back(outputs[position]);
        break;
      case schedule::Home::arena:
        result.push_back(arena + evaluate(buffer.offset, symbols));
    }
  }
  return result;
}

// True if a library call replaced the kernel. Errors of the library name the user's line.
SINTER_INLINE bool CudaExecutable::run_library(const Call& call, const schedule::Launch& launch,
                                               Span<void* const> pointers) const {
  const auto number = static_cast<std::size_t>(launch.kernel);
  if (calls_[number] == nullptr) return false;
  std::vector<long> sizes;
  for (const Extent& size : launch.sizes) sizes.push_back(evaluate(size, call.symbols));
  const std::vector<std::int64_t> known = detail::by_id(plan_.kernels[number], sizes);
  const Where line = launch.lines.empty() ? call.where : launch.lines.front();
  return calls_[number]->run(call.work, pointers, known, line);
}

SINTER_INLINE void CudaExecutable::launch_with(const Call& call, const schedule::Launch& launch,
                                               const Vector<void*>& pointers, void* fault) const {
  const auto number = static_cast<std::size_t>(launch.kernel);
  const CudaGrid& grid = grids_[number];
  const CudaLaunchConfig now = launch_config(plan_, launch, grid, call.symbols);
  auto arguments = arguments_of(plan_, launch, now, pointers, fault);
  launch_kernel(call.work.context(), call.work.stream().handle, functions_[number], grid, now,
                arguments, call.where);
}

// A kernel of a custom operation, on memory between guards.
SINTER_INLINE void CudaExecutable::run_guarded(const Call& call, const schedule::Launch& launch,
                                               const Vector<void*>& pointers) const {
  std::vector<std::int64_t> bytes;
  for (const std::int32_t id : launch.buffers) {
    bytes.push_back(detail::bytes_of(plan_.buffers[static_cast<std::size_t>(id)], call.symbols));
  }
  const schedule::Kernel& kernel = plan_.kernels[static_cast<std::size_t>(launch.kernel)];
  GuardedMemory memory(call.work, kernel, pointers, bytes, call.where);
  launch_with(call, launch, memory.guarded(), nullptr);
  memory.finish();
}

SINTER_INLINE void CudaExecutable::run_kernel(Call& call, const schedule::Launch& launch,
                                              void* fault) const {
  const auto number = static_cast<std::size_t>(launch.kernel);
  const Vector<void*> pointers =
      pointers_of(plan_, launch, call.inputs, call.outputs, call.arena, call.symbols);
  if (call.profiler != nullptr) call.profiler->begin(describe_run(*module_, launch, call.symbols));
  CudaTimedLaunch timed(timer_, call.work, number);
  const bool is_guarded = plan_.kernels[number].custom != nullptr && checks_custom();
  if (is_guarded) {
    run_guarded(call, launch, pointers);
  } else if (!run_library(call, launch, pointers)) {
    launch_with(call, launch, pointers, fault);
  }
  timed.end();
  if (call.profiler != nullptr) call.profiler->end();
}

// Waits for the launches so far, and throws the first fault that a launch recorded.
SINTER_INLINE void CudaExecutable::throw_faults(Call& call) const {
  if (!call.may_have_faults) return;
  call.may_have_faults = false;
  const Storage found = copied_to(call.faults, cpu(), call.where);
  faults_.throw_first(plan_, found.data());
}

// Branches and loops driven by the host: it reads each condition and launches the kernels of a
// body.

namespace detail {

// Waits for the stream, then reads the condition at `address`.
SINTER_INLINE bool condition_at(CudaSubmission& work, const void* address, Where where) {
  unsigned char holds = 0;
  const CudaDriver::Handle stream = work.stream().handle;
  await_others(work.context(), stream, where);
  work.check(work.driver().copy_to_host_async(
                 &holds, reinterpret_cast<CudaDriver::Address>(address), sizeof(holds), stream),
             "cuMemcpyDtoHAsync");
  await_stream(work.context(), stream, where);
  return holds != 0;
}

// The device copy for LoopState::write_results().
SINTER_INLINE auto device_copy(CudaSubmission& work) {
  return [&work](void* to, const void* from, std::size_t bytes) {
    work.check(work.driver().copy_on_device_async(reinterpret_cast<CudaDriver::Address>(to),
                                                  reinterpret_cast<CudaDriver::Address>(from),
                                                  bytes, work.stream().handle),
               "cuMemcpyDtoDAsync");
  };
}

}  // namespace detail

// A body throws its own faults; the launch around it has written nothing visible by then.
SINTER_INLINE void CudaExecutable::run_body(const Call& call, std::int32_t body,
                                            Span<void* const> inputs,
                                            Span<void* const> outputs) const {
  Call own{call.work, call.where, inputs, outputs, call.symbols};
  own.profiler = call.profiler;
  bodies_[static_cast<std::size_t>(body)]->run_plan(own);
}

// Custom operations of plans that are no graphs are prepared in each call.
SINTER_INLINE void CudaExecutable::enqueue(const Call& call, const schedule::Launch& launch,
                                           Span<void* const> pointers) const {
  const schedule::Control& control = plan_.controls[static_cast<std::size_t>(launch.control)];
  const StreamCall one(control, pointers, call.symbols);
  if (replay_ == nullptr) one.prepare(device_);
  if (call.profiler != nullptr) {
    call.profiler->begin({.kernel = control.code->name, .lines = launch.lines});
  }
  one.enqueue(device_, call.work.stream().handle);
  if (call.profiler != nullptr) call.profiler->end();
}

SINTER_INLINE void CudaExecutable::run_control(Call& call, const schedule::Launch& launch) const {
  const schedule::Control& control = plan_.controls[static_cast<std::size_t>(launch.control)];
  const Vector<void*> pointers =
      pointers_of(plan_, launch, call.inputs, call.outputs, call.arena, call.symbols);
  if (control.op == Op::while_loop) return run_while(call, control, pointers.data());
  if (control.op == Op::scan) return run_scan(call, control, pointers.data());
  if (enqueues(plan_, launch)) return enqueue(call, launch, pointers);
  if (control.op == Op::custom) {
    return call_on_host(call.work, control, pointers, call.symbols, call.where);
  }
  const auto inputs = static_cast<std::size_t>(control.inputs);
  const bool holds = detail::condition_at(call.work, pointers[0], call.where);
  run_body(call, control.bodies[holds ? 0 : 1], {pointers.data() + 1, inputs - 1},
           {pointers.data() + inputs, static_cast<std::size_t>(control.results)});
}

SINTER_INLINE void CudaExecutable::run_while(Call& call, const schedule::Control& control,
                                             void* const* pointers) const {
  const auto inputs = static_cast<std::size_t>(control.inputs);
  const auto states = static_cast<std::size_t>(control.states);
  const std::vector<std::int64_t> bytes = detail::sizes_of(control, call.symbols);
  detail::LoopState state({pointers + inputs, states}, {pointers + inputs + states, states}, bytes);
  Vector<void*> given(pointers, pointers + inputs);
  const Storage holds = Storage::allocate(1, device_, call.where, "the condition of a loop");
  call.work.writes(holds);
  void* const predicate = holds.data();
  for (std::int64_t step = 0;; ++step) {
    run_body(call, control.bodies[0], given, {&predicate, 1});
    if (!detail::condition_at(call.work, predicate, call.where)) break;
    void** const next = state.next(step);
    run_body(call, control.bodies[1], given, {next, states});
    std::copy(next, next + states, given.begin());
  }
  state.write_results(given, detail::device_copy(call.work));
}

SINTER_INLINE void CudaExecutable::run_scan(Call& call, const schedule::Control& control,
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
    run_body(call, control.bodies[0], given, targets);
    std::copy(next, next + carries, given.begin());
  }
  state.write_results({given.data(), carries}, detail::device_copy(call.work));
}

SINTER_INLINE GpuReplays CudaExecutable::take_replays() const {
  GpuReplays result;
  if (replay_ == nullptr) return result;
  for (auto& one : replay_->take()) result.push_back(share(std::move(one)));
  return result;
}

SINTER_INLINE std::size_t CudaExecutable::kept_bytes() const {
  return bytes_of_arenas(CudaContext::of(device_));
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
