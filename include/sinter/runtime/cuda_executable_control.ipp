#pragma once

// Branches and loops on a GPU: the host reads each condition, and gives the launches of a body.

#include <algorithm>  // std::copy

#include <sinter/runtime/cuda_executable.hpp>
#include <sinter/runtime/executable.hpp>
#include <sinter/symbol/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

// The condition at `address`, when all that was given before has run.
SINTER_INLINE bool condition_at(CudaWork& work, const void* address) {
  unsigned char holds = 0;
  const CudaDriver::Handle stream = work.stream().handle;
  work.check(work.driver().copy_to_host_async(
                 &holds, reinterpret_cast<CudaDriver::Address>(address), sizeof(holds), stream),
             "cuMemcpyDtoHAsync");
  work.check(work.driver().synchronize_stream(stream), "cuStreamSynchronize");
  return holds != 0;
}

// What LoopState::finish() copies with.
SINTER_INLINE auto copies_on(CudaWork& work) {
  return [&work](void* to, const void* from, std::size_t bytes) {
    work.check(work.driver().copy_on_device_async(reinterpret_cast<CudaDriver::Address>(to),
                                                  reinterpret_cast<CudaDriver::Address>(from),
                                                  bytes, work.stream().handle),
               "cuMemcpyDtoDAsync");
  };
}

}  // namespace detail

// Faults of a body are those of the call: nobody sees what a launch around it writes.
SINTER_INLINE void CudaExecutable::run_body(const Call& call, std::int32_t body,
                                            std::span<void* const> inputs,
                                            std::span<void* const> outputs) const {
  Call own{call.work, call.where, inputs, outputs, call.symbols};
  own.watched = call.watched;
  bodies_[static_cast<std::size_t>(body)]->run_plan(own);
}

SINTER_INLINE void CudaExecutable::run_control(Call& call, const schedule::Launch& launch) const {
  const schedule::Control& control = plan_.controls[static_cast<std::size_t>(launch.control)];
  const std::vector<void*> pointers =
      pointers_of(plan_, launch, call.inputs, call.outputs, call.arena, call.symbols);
  if (control.op == Op::while_loop) return run_while(call, control, pointers.data());
  if (control.op == Op::scan) return run_scan(call, control, pointers.data());
  const auto inputs = static_cast<std::size_t>(control.inputs);
  const bool holds = detail::condition_at(call.work, pointers[0]);
  run_body(call, control.bodies[holds ? 0 : 1], {pointers.data() + 1, inputs - 1},
           {pointers.data() + inputs, static_cast<std::size_t>(control.results)});
}

SINTER_INLINE void CudaExecutable::run_while(Call& call, const schedule::Control& control,
                                             void* const* pointers) const {
  const auto inputs = static_cast<std::size_t>(control.inputs);
  const auto states = static_cast<std::size_t>(control.states);
  const std::vector<std::int64_t> bytes = detail::sizes_of(control, call.symbols);
  detail::LoopState state({pointers + inputs, states}, {pointers + inputs + states, states}, bytes);
  std::vector<void*> given(pointers, pointers + inputs);
  const Storage holds = Storage::allocate(1, device_, call.where, "the condition of a loop");
  call.work.writes(holds);
  void* const predicate = holds.data();
  for (std::int64_t step = 0;; ++step) {
    run_body(call, control.bodies[0], given, {&predicate, 1});
    if (!detail::condition_at(call.work, predicate)) break;
    void** const next = state.next(step);
    run_body(call, control.bodies[1], given, {next, states});
    std::copy(next, next + states, given.begin());
  }
  state.finish(given, detail::copies_on(call.work));
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
    run_body(call, control.bodies[0], given, found);
    std::copy(next, next + carries, given.begin());
  }
  state.finish({given.data(), carries}, detail::copies_on(call.work));
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
