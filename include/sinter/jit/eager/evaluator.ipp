#pragma once

#include <mutex>    // std::lock_guard
#include <utility>  // std::move

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/graph/hash.hpp>
#include <sinter/jit/eager/blocks.hpp>
#include <sinter/jit/eager/evaluator.hpp>
#include <sinter/jit/eager/step_plan.hpp>
#include <sinter/jit/eager/steps.hpp>
#include <sinter/jit/interface/parts.hpp>
#include <sinter/jit/lower/lower.hpp>
#include <sinter/jit/rewrite/lifted_numbers.hpp>
#include <sinter/jit/state/number_inputs.hpp>
#include <sinter/jit/state/variant.hpp>
#include <sinter/runtime/interpreter/interpret.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

// The interpreter on the host. On a GPU kernels with Numerics::strict, which round as it does: a
// graph is compiled once as it is, and a second time for all graphs that differ only in constants.
class EagerEvaluator : public Evaluator {
 public:
  Vector<Storage> evaluate(const Graph& graph, Span<const Storage> inputs, Device device) override {
    const auto by_itself = [&](const Graph& part, Span<const Storage> given) {
      return evaluate_operations(part, given, device);
    };
    if (!has_calls(graph)) return by_itself(graph, inputs);
    if (device.is_cuda()) return GraphSteps(graph).run(inputs, device, by_itself);
    const auto plan = repeated_.find(
        step_plan_key(graph), [&] { return graph; },
        [](const Graph& again) -> StepPlan { return {GraphSteps(again)}; });
    if (plan == nullptr) return GraphSteps(graph).run(inputs, device, by_itself);
    return plan->steps.run(inputs, device, by_itself);
  }

  Vector<Storage> value_and_gradients(const CalledValue& value,
                                      FunctionRef<void()> unlock) override {
    return repeated_.value_and_gradients(value, unlock);
  }

 private:
  Vector<Storage> evaluate_operations(const Graph& graph, Span<const Storage> inputs,
                                      Device device) {
    if (device.is_cpu()) {
      if (!checks_numerics()) return interpreted(graph, inputs);
      if (parts().interpret_checked == nullptr) throw_left_out("SINTER_CHECK=nan");
      return parts().interpret_checked(graph, inputs);
    }
    const Vector<GraphNumber> numbers = numbers_of(graph);
    LiftedNumbers lifted = lift(graph, numbers, choose_inputs(graph, numbers));
    const LowerOptions options{.numerics = Numerics::strict, .device = device};
    LoweredProgram lowered = lower(lifted.graph, options);
    const Runnable runnable =
        runnable_of(lifted.graph, {}, std::move(lowered.program), std::move(lowered.symbols));
    CallMemory memory;
    memory.where = graph.nodes[graph.outputs.back().node].where;
    memory.is_expression = true;
    for (const Storage& input : inputs) {
      memory.inputs.push_back(input.data());
      memory.packed_from.push_back(&input);
    }
    for (std::uint64_t& number : lifted.inputs) {
      memory.inputs.push_back(&number);
      memory.packed_from.push_back(nullptr);
    }
    run(runnable, {}, lifted.symbols, memory);
    return std::move(memory.owned);
  }

  static Vector<Storage> interpreted(const Graph& graph, Span<const Storage> inputs) {
    if (!runtime::interpreter_is_forbidden().load(std::memory_order_relaxed)) {
      if (auto result = by_blocks(graph)) return {std::move(*result)};
    }
    return runtime::interpret(graph, inputs);
  }

  Vector<bool> choose_inputs(const Graph& graph, Span<const GraphNumber> numbers) {
    const Vector<bool> all(numbers.size(), true);
    const Hash kind = hash_of(lift(graph, numbers, all).graph);
    Vector<std::uint64_t> bits;
    for (const GraphNumber& number : numbers) bits.push_back(number.bits);
    const std::lock_guard lock(mutex_);
    if (inputs_.size() == max_kinds) inputs_.clear();
    return inputs_.choose(kind, bits, true);
  }

  static constexpr std::size_t max_kinds = 4096;

  ProcessMutex mutex_{};
  NumberInputs inputs_{};  // by kind of graph
  StepPlanCache repeated_{};
};

}  // namespace detail

SINTER_INLINE bool install_evaluator() {
  static auto& evaluator = *new detail::EagerEvaluator;
  current_evaluator() = &evaluator;
  return true;
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
