#pragma once

#include <sinter/jit/evaluator.hpp>
#include <sinter/runtime/interpreter.hpp>

namespace sinter::inline SINTER_ABI::jit {

namespace detail {

struct InterpretingEvaluator : Evaluator {
  std::vector<Storage> evaluate(const Graph& graph, std::span<const Storage> inputs) override {
    return runtime::interpret(graph, inputs);
  }
};

}  // namespace detail

SINTER_INLINE bool install_evaluator() {
  static auto& evaluator = *new detail::InterpretingEvaluator;
  current_evaluator() = &evaluator;
  return true;
}

}  // namespace sinter::inline SINTER_ABI::jit
