#pragma once
// Gradients of small f64 programs, by differences and by the reverse sweep.

#include <doctest/doctest.h>
#include <sinter/autodiff/gradient/gradient.hpp>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/graph/verify.hpp>
#include <sinter/runtime/interpreter/interpret.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "../gpu_graphs.hpp"

namespace differences {

using namespace sinter;
using namespace sinter::detail;

using Numbers = std::vector<double>;

/// Writes sizes as numbers, or as symbols that stand for them: every program is tried with both.
struct Sizes {
  bool symbolic = false;
  std::vector<std::int64_t> values{};

  Extent operator()(std::int64_t size) {
    if (!symbolic) return size;
    values.push_back(size);
    return Extent::symbol(static_cast<std::uint32_t>(values.size() - 1));
  }
};

inline Storage memory_of(const Numbers& numbers) {
  Storage result = Storage::allocate(numbers.size() * sizeof(double));
  if (!numbers.empty()) std::memcpy(result.data(), numbers.data(), result.bytes());
  return result;
}

inline Numbers numbers_in(const Storage& memory) {
  Numbers result(memory.bytes() / sizeof(double));
  if (!result.empty()) std::memcpy(result.data(), memory.data(), memory.bytes());
  return result;
}

/// What `graph`, all of whose inputs and outputs are f64, computes.
inline std::vector<Numbers> run(const Graph& graph, const std::vector<Numbers>& inputs,
                                const std::vector<std::int64_t>& symbols = {}) {
  Vector<Storage> memory;
  for (const Numbers& numbers : inputs) memory.push_back(memory_of(numbers));
  const Vector<Storage> outputs = runtime::interpret(graph, memory, symbols);
  gpu_graphs::note(graph, memory, symbols, outputs);
  std::vector<Numbers> result;
  for (const Storage& output : outputs) result.push_back(numbers_in(output));
  return result;
}

/// Numbers in (low, high) that are all different.
inline Numbers spread(std::int64_t count, double low, double high, std::uint32_t seed = 1) {
  Numbers result;
  for (std::int64_t i = 0; i < count; ++i) {
    seed = seed * 1664525 + 1013904223;
    result.push_back(low + (high - low) * (seed >> 8) / 0x1p24);
  }
  return result;
}

/// The sum of the products of two lists.
inline double dot(const Numbers& x, const Numbers& y) {
  double result = 0;
  for (std::size_t i = 0; i < x.size(); ++i) result += x[i] * y[i];
  return result;
}

/// A program of f64 inputs, which are numbers in (low, high).
struct Program {
  Graph graph{};
  Builder builder{graph};
  Sizes size{};
  double low = -2, high = 2;
  std::vector<Numbers> inputs{};

  explicit Program(bool symbolic = false, double from = -2, double to = 2)
      : size{symbolic}, low(from), high(to) {}
  Program(const Program&) = delete;

  Value input(const Shape& shape) {
    const std::int64_t count = evaluate(numel(shape), size.values);
    inputs.push_back(spread(count, low, high, static_cast<std::uint32_t>(7 + inputs.size())));
    return builder.input({f64, shape});
  }
  std::int64_t count(Value value) const {
    return evaluate(numel(graph.type(value).shape), size.values);
  }
  Vector<Value> variables() const { return {graph.inputs.begin(), graph.inputs.end()}; }
};

/// Writes a program and returns its output.
using WriteProgram = Value (*)(Program& program);

/// The derivatives of sum(output * seed), where output is the only one of `graph`, by differences.
inline std::vector<Numbers> by_differences(const Graph& graph, const Program& program,
                                           const Numbers& seed) {
  std::vector<Numbers> result, inputs = program.inputs;
  for (Numbers& variable : inputs) {
    Numbers slopes;
    for (double& x : variable) {
      const double before = x, step = 1e-5 * std::max(1.0, std::abs(x));
      x = before + step;
      const double above = dot(run(graph, inputs, program.size.values)[0], seed);
      x = before - step;
      const double below = dot(run(graph, inputs, program.size.values)[0], seed);
      x = before;
      slopes.push_back((above - below) / (2 * step));
    }
    result.push_back(slopes);
  }
  return result;
}

inline double largest_error(const std::vector<Numbers>& found,
                            const std::vector<Numbers>& expected) {
  double worst = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    REQUIRE(found[i].size() == expected[i].size());
    for (std::size_t k = 0; k < expected[i].size(); ++k) {
      const double error =
          std::abs(found[i][k] - expected[i][k]) / std::max(1.0, std::abs(expected[i][k]));
      worst = error <= worst ? worst : error;  // and a NaN stays
    }
  }
  return worst;
}

/// The error of the gradients of `output` against differences, relative where they are above 1.
inline double gradient_error(Program& program, Value output) {
  const Numbers seed = spread(program.count(output), 0.5, 2, 99);
  Graph forward = program.graph;
  forward.outputs = {output};
  const auto variables = program.variables();
  const Value weight = program.builder.input(program.graph.type(output));
  program.graph.outputs = autodiff::gradient(program.graph, output, variables, weight);
  verify(program.graph);
  std::vector<Numbers> inputs = program.inputs;
  inputs.push_back(seed);
  return largest_error(run(program.graph, inputs, program.size.values),
                       by_differences(forward, program, seed));
}

/// sum(x * numbers that differ), so that no two elements of x matter alike.
inline Value weighted_sum(Program& program, Value x) {
  Builder& build = program.builder;
  const Value flat = build.reshape(x, {numel(build.shape(x))});
  const Value positions = build.iota(build.type(flat), 0);
  const Value weights =
      build.elementwise(Op::sin, {build.add(positions, build.constant_like(positions, 1))});
  return build.reduce(Op::sum, build.mul(flat, weights), {0});
}

/// Checks first and second derivatives of the program, sizes static and symbolic. The second ones
/// are those of the sum of all first ones, each with a weight of its own.
inline void check_derivatives(WriteProgram write, double low = -2, double high = 2) {
  for (const bool symbolic : {false, true}) {
    CAPTURE(symbolic);
    Program once(symbolic, low, high);
    CHECK(gradient_error(once, write(once)) <= 1e-6);

    Program twice(symbolic, low, high);
    const Value output = write(twice);
    const auto variables = twice.variables();
    const auto first = autodiff::gradient(twice.graph, weighted_sum(twice, output), variables);
    Value total = weighted_sum(twice, first[0]);
    for (std::size_t i = 1; i < first.size(); ++i) {
      total = twice.builder.add(total, weighted_sum(twice, first[i]));
    }
    CHECK(gradient_error(twice, total) <= 1e-6);
  }
}

}  // namespace differences
