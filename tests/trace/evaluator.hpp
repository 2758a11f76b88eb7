#pragma once
// Reads in the tests of these folders are answered by the interpreter, which jit installs
// otherwise.

#include <sinter/runtime/interpreter.hpp>
#include <sinter/trace/evaluate.hpp>

namespace {

struct InterpreterForTests : sinter::Evaluator {
  std::vector<sinter::Storage> evaluate(const sinter::Graph& graph,
                                        std::span<const sinter::Storage> inputs) override {
    return sinter::runtime::interpret(graph, inputs);
  }
};

[[maybe_unused]] const bool is_installed = [] {
  static auto& evaluator = *new InterpreterForTests;
  if (sinter::current_evaluator() == nullptr) sinter::current_evaluator() = &evaluator;
  return true;
}();

}  // namespace
