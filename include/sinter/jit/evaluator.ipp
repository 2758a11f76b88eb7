#pragma once

#include <sinter/jit/call.hpp>
#include <sinter/jit/evaluator.hpp>
#include <sinter/jit/lower.hpp>
#include <sinter/jit/variant.hpp>
#include <sinter/runtime/interpreter.hpp>

namespace sinter::inline SINTER_ABI::jit {

namespace detail {

// The interpreter on the host; on a GPU kernels, rounded at every operation as it does.
struct EagerEvaluator : Evaluator {
  std::vector<Storage> evaluate(const Graph& graph, std::span<const Storage> inputs,
                                Device device) override {
    if (device.is_cpu()) return runtime::interpret(graph, inputs);
    const LowerOptions options{.numerics = Numerics::strict, .device = device};
    const Runnable runnable = runnable_of(graph, {}, lower(graph, options).program);
    Memory memory;
    for (const Storage& input : inputs) {
      memory.inputs.push_back(input.data());
      memory.kept_from.push_back(&input);
    }
    run(runnable, {}, {}, memory);
    return std::move(memory.owned);
  }
};

}  // namespace detail

SINTER_INLINE bool install_evaluator() {
  static auto& evaluator = *new detail::EagerEvaluator;
  current_evaluator() = &evaluator;
  return true;
}

}  // namespace sinter::inline SINTER_ABI::jit
