#pragma once
// Executes plans and compares the results with the interpreter.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <sinter/graph/print.hpp>
#include <sinter/pass/simplify_control.hpp>
#include <sinter/schedule/plan.hpp>

#include "execute.hpp"

namespace against_interpreter {

using namespace sinter;
using namespace sinter::detail;

using Symbols = std::vector<std::int64_t>;

/// Numbers in [-1, 1], and small positive integers.
inline Vector<Storage> random_inputs(const Graph& graph, const Symbols& symbols, unsigned seed) {
  std::mt19937 engine(seed);
  Vector<Storage> result;
  for (const NodeId id : graph.inputs) {
    const TensorType& type = graph[id].results[0];
    const std::int64_t elements = evaluate(numel(type.shape), symbols);
    result.push_back(Storage::allocate(static_cast<std::size_t>(elements) * info(type.dtype).size));
    const execute::Block block{static_cast<std::byte*>(result.back().data()), elements, type.dtype};
    for (std::int64_t i = 0; i < elements; ++i) {
      const double number = static_cast<double>(engine() % 2001) / 1000.0 - 1.0;
      block.store(i, is_floating(type.dtype) ? constant(number, type.dtype)
                                             : constant(engine() % 3, type.dtype));
    }
  }
  return result;
}

inline Vector<Storage> copies_of(const Vector<Storage>& storages) {
  Vector<Storage> result;
  for (const Storage& storage : storages) {
    result.push_back(Storage::allocate(storage.bytes()));
    if (storage.bytes() > 0) {
      std::memcpy(result.back().data(), storage.data(), storage.bytes());
    }
  }
  return result;
}

/// The largest difference relative to the larger number, or to 1; 1 if one of two is NaN.
inline double difference(const Storage& expected, const execute::Block& found) {
  double worst = 0;
  const execute::Block block{static_cast<std::byte*>(expected.data()), found.elements, found.dtype};
  for (std::int64_t i = 0; i < found.elements; ++i) {
    const Constant x = block.load(i), y = found.load(i);
    const double a = is_floating(x.dtype) ? x.floating() : static_cast<double>(x.integer());
    const double b = is_floating(y.dtype) ? y.floating() : static_cast<double>(y.integer());
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    const double off = std::abs(a - b) / std::max({1.0, std::abs(a), std::abs(b)});
    worst = std::isnan(off) ? 1.0 : std::max(worst, off);
  }
  return worst;
}

/// Executes the plan of `graph` with every updated output in the memory of its input.
inline void check(const Graph& graph, const Symbols& symbols, unsigned seed = 0,
                  const schedule::Options& options = {}) {
  const auto inputs = random_inputs(graph, symbols, seed);
  const auto expected = runtime::interpret(graph, inputs, symbols);
  const schedule::Plan plan = schedule::plan(pass::simplify_control(graph), options);
  INFO(to_string(graph) << to_string(plan));
  schedule::verify(plan);

  execute::Call call{plan, copies_of(inputs), symbols};
  for (const schedule::Update& update : options.updates) {
    const std::int32_t id = plan.outputs[static_cast<std::size_t>(update.output)];
    const schedule::Buffer& buffer = plan.buffers[static_cast<std::size_t>(id)];
    if (buffer.home != schedule::Home::output || buffer.position != update.output) continue;
    call.outputs[id] = call.inputs[static_cast<std::size_t>(update.input)];
  }
  REQUIRE(call.run());

  for (std::size_t i = 0; i < expected.size(); ++i) {
    INFO("output " << i);
    CHECK(difference(expected[i], call.output(i)) < 2e-5);
  }
}

}  // namespace against_interpreter
