#pragma once

// Branches and loops: plans that are run between the kernels of another.

#include <algorithm>  // std::copy
#include <cstring>    // std::memcpy

#include <sinter/runtime/executable.hpp>
#include <sinter/symbol/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

// What is handed from step to step: read from one buffer, written to another, in turns.
class LoopState {
 public:
  // `results` and `others` are two buffers for each state, `bytes` their sizes.
  LoopState(std::span<void* const> results, std::span<void* const> others,
            std::span<const std::int64_t> bytes)
      : results_(results), others_(others), bytes_(bytes) {}

  // Where the next step writes, so that after `left` more steps the last has written the results.
  void** next(std::int64_t left) {
    const auto& buffers = left % 2 == 0 ? results_ : others_;
    next_.assign(buffers.begin(), buffers.end());
    return next_.data();
  }

  // Puts what is at `states` where it belongs, by copy(to, from, bytes).
  template <class Copy>
  void finish(std::span<void* const> states, Copy copy) const {
    for (std::size_t i = 0; i < results_.size(); ++i) {
      if (states[i] == results_[i] || bytes_[i] == 0) continue;
      copy(results_[i], states[i], static_cast<std::size_t>(bytes_[i]));
    }
  }

 private:
  std::span<void*const> results_, others_;
  std::span<const std::int64_t> bytes_;
  std::vector<void*> next_{};
};

SINTER_INLINE std::vector<std::int64_t> sizes_of(const schedule::Control& control,
                                                 std::span<const std::int64_t> symbols) {
  std::vector<std::int64_t> result;
  for (const Extent& bytes : control.bytes) result.push_back(evaluate(bytes, symbols));
  return result;
}

// What LoopState::finish() copies with on the host.
inline constexpr auto copy_here = [](void* to, const void* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
};

inline void* step_at(void* first, std::int64_t index, std::int64_t bytes) {
  return static_cast<std::byte*>(first) + index * bytes;
}

}  // namespace detail

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
