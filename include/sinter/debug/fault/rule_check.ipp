#pragma once

#include <algorithm>  // std::max
#include <cmath>      // std::abs, std::isfinite
#include <cstring>    // std::memcpy

#include <sinter/autodiff/batching/batch.hpp>
#include <sinter/autodiff/gradient/gradient.hpp>
#include <sinter/base/container/algorithm.hpp>
#include <sinter/debug/fault/comparison.hpp>
#include <sinter/debug/fault/rule_check.hpp>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/callee.hpp>
#include <sinter/runtime/interpreter/interpret.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

namespace detail {

// A fixed sequence of numbers in [-1, 1).
class Numbers {
 public:
  double next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(static_cast<std::int64_t>(state_) >> 11) * 0x1p-52;
  }

 private:
  std::uint64_t state_ = 1;
};

SINTER_INLINE double* doubles(const Storage& storage) {
  return static_cast<double*>(storage.data());
}
SINTER_INLINE std::size_t count_of(const Storage& storage) {
  return storage.bytes() / sizeof(double);
}

// The gradients of a problem in f64, and differences of it.
class GradientCheck {
 public:
  explicit GradientCheck(const Problem& problem) : problem_(problem) {
    const Graph& graph = problem_.graph;
    for (const Value output : graph.outputs) {
      if (is_floating(graph.type(output).dtype)) outputs_.push_back(output);
    }
    for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
      if (is_floating(graph.type(graph.inputs[i]).dtype)) inputs_.push_back(i);
    }
    problem_.graph.outputs.clear();
    for (const Value output : outputs_) problem_.graph.outputs.push_back(output);
  }

  std::string mistake() {
    if (outputs_.empty() || inputs_.empty()) return {};
    const Vector<Storage> gradients = find_gradients();
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      for (int direction = 0; direction < 3; ++direction) {
        const std::string found = compare_along(i, gradients[i]);
        if (!found.empty()) return found;
      }
    }
    return {};
  }

 private:
  Vector<Storage> find_gradients() {
    Problem with_gradients = problem_;
    Graph& graph = with_gradients.graph;
    Vector<Value> seeds, variables;
    for (const Value output : outputs_) {
      const TensorType type = graph.type(output);
      const NodeId id = graph.append({.op = Op::input, .results = {type}});
      if (graph.inputs.empty() || graph.inputs.back() != id) graph.inputs.push_back(id);
      seeds.push_back(Value(id));
      const Storage seed = Storage::allocate(bytes_of(problem_, type));
      for (std::size_t i = 0; i < count_of(seed); ++i) doubles(seed)[i] = numbers_.next();
      with_gradients.inputs.push_back(seed);
      seeds_.push_back(seed);
    }
    for (const std::size_t input : inputs_) variables.push_back(Value(graph.inputs[input]));
    const Vector<Value> gradients = autodiff::gradient(graph, outputs_, seeds, variables);
    graph.outputs.clear();
    for (const Value gradient : gradients) graph.outputs.push_back(gradient);
    return runtime::interpret(graph, with_gradients.inputs, with_gradients.symbols);
  }

  // The sum of outputs times seeds with input `number` moved by `step` along `direction`.
  double moved(std::size_t number, const std::vector<double>& direction, double step) {
    Vector<Storage> inputs = problem_.inputs;
    const Storage& before = inputs[inputs_[number]];
    const Storage after = Storage::allocate(before.bytes());
    for (std::size_t i = 0; i < direction.size(); ++i) {
      doubles(after)[i] = doubles(before)[i] + step * direction[i];
    }
    inputs[inputs_[number]] = after;
    const Vector<Storage> results = runtime::interpret(problem_.graph, inputs, problem_.symbols);
    double sum = 0;
    for (std::size_t i = 0; i < results.size(); ++i) {
      for (std::size_t k = 0; k < count_of(results[i]); ++k) {
        sum += doubles(results[i])[k] * doubles(seeds_[i])[k];
      }
    }
    return sum;
  }

  // One direction. Where the function has a kink or a step, differences say nothing.
  std::string compare_along(std::size_t number, const Storage& gradient) {
    std::vector<double> direction(count_of(gradient));
    double analytic = 0, largest = 1;
    for (std::size_t i = 0; i < direction.size(); ++i) {
      direction[i] = numbers_.next();
      analytic += direction[i] * doubles(gradient)[i];
      largest = std::max(largest, std::abs(doubles(problem_.inputs[inputs_[number]])[i]));
    }
    if (direction.empty() || !std::isfinite(largest)) return {};
    const double step = 1e-6 * largest;
    const double here = moved(number, direction, 0);
    const double up = (moved(number, direction, step) - here) / step;
    const double down = (here - moved(number, direction, -step)) / step;
    const double scale = std::max({1.0, std::abs(up), std::abs(analytic)});
    const double numeric = (up + down) / 2;
    if (!std::isfinite(numeric) || std::abs(up - down) > 1e-3 * scale) return {};
    if (std::abs(numeric - analytic) <= 1e-3 * scale) return {};
    return text("the derivative for input ", inputs_[number], " along a direction is ",
                static_cast<float>(analytic), " instead of ", static_cast<float>(numeric),
                ", the central difference");
  }

  Problem problem_;
  Vector<Value> outputs_{};
  Vector<std::size_t> inputs_{};
  Vector<Storage> seeds_{};
  Numbers numbers_{};
};

SINTER_INLINE bool can_check(const Graph& graph, bool with_draws) {
  return !any_of(graph.nodes, [&](const Node& node) {
    return callee_of(node) != nullptr || (with_draws && node.op == Op::random_bits);
  });
}

constexpr std::size_t samples = 3;

// The elements of sample `sample`: those of `from`, rotated.
SINTER_INLINE void put_sample(const Storage& from, std::size_t size, std::size_t sample, char* to) {
  const std::size_t count = size == 0 ? 0 : from.bytes() / size;
  const char* const elements = static_cast<const char*>(from.data());
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(to + i * size, elements + (i + sample) % count * size, size);
  }
}

SINTER_INLINE Storage batched_elements(const Storage& from, std::size_t size) {
  const Storage result = Storage::allocate(samples * from.bytes());
  for (std::size_t sample = 0; sample < samples; ++sample) {
    put_sample(from, size, sample, static_cast<char*>(result.data()) + sample * from.bytes());
  }
  return result;
}

// A batch of a problem: its graph, and which outputs have an axis in front.
struct Batch {
  Problem problem{};
  Vector<bool> is_batched{};
};

SINTER_INLINE Batch batch_of(const Problem& problem, std::size_t batched_inputs) {
  Batch result;
  const Graph& sample = problem.graph;
  Builder builder(result.problem.graph);
  Vector<autodiff::Batched> operands;
  for (std::size_t i = 0; i < sample.inputs.size(); ++i) {
    TensorType type = sample.type(sample.inputs[i]);
    const std::size_t size = info(type.dtype).size;
    const bool is_batched = i < batched_inputs;
    if (is_batched) {
      Shape shape{Extent(static_cast<std::int64_t>(samples))};
      for (const Extent& extent : type.shape) shape.push_back(extent);
      type.shape = shape;
    }
    operands.push_back({builder.input(type), is_batched});
    const Storage& elements = problem.inputs[i];
    result.problem.inputs.push_back(is_batched ? batched_elements(elements, size) : elements);
  }
  const Extent count = static_cast<std::int64_t>(samples);
  for (const autodiff::Batched& output : autodiff::batch(builder, sample, operands, count)) {
    result.problem.graph.outputs.push_back(output.value);
    result.is_batched.push_back(output.is_batched);
  }
  return result;
}

SINTER_INLINE std::string batching_mistake(const Problem& problem, std::size_t batched_inputs) {
  const Graph& graph = problem.graph;
  const Batch batch = batch_of(problem, batched_inputs);
  const Vector<Storage> all = runtime::interpret(batch.problem.graph, batch.problem.inputs);
  for (std::size_t sample = 0; sample < samples; ++sample) {
    Problem one = problem;
    for (std::size_t i = 0; i < batched_inputs; ++i) {
      const std::size_t size = info(graph.type(graph.inputs[i]).dtype).size;
      one.inputs[i] = Storage::allocate(problem.inputs[i].bytes());
      put_sample(problem.inputs[i], size, sample, static_cast<char*>(one.inputs[i].data()));
    }
    const Vector<Storage> expected = runtime::interpret(graph, one.inputs);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const std::size_t bytes = expected[i].bytes();
      const std::size_t at = batch.is_batched[i] ? sample * bytes : 0;
      const Storage got = Storage::borrow(static_cast<const char*>(all[i].data()) + at, bytes);
      const TensorType& type = graph.type(graph.outputs[i]);
      const Difference found = compare({&type, 1}, {&got, 1}, {&expected[i], 1});
      if (!found.found) continue;
      return text("sample ", sample, " of the batch, output ", i, ", element ", found.element, ": ",
                  found.got, " instead of ", found.expected);
    }
  }
  return {};
}

}  // namespace detail

SINTER_INLINE std::string gradient_mistake(const Problem& problem) {
  if (!detail::can_check(problem.graph, false)) return {};
  return detail::GradientCheck(widened(with_numbers(problem))).mistake();
}

SINTER_INLINE std::string batching_mistake(const Problem& problem) {
  if (!detail::can_check(problem.graph, true)) return {};
  const Problem fixed = with_numbers(problem);
  const std::size_t inputs = fixed.inputs.size();
  for (std::size_t batched = inputs; batched > 0; batched = batched == 1 ? 0 : 1) {
    std::string found = detail::batching_mistake(fixed, batched);
    if (!found.empty()) return found;
  }
  return {};
}

}  // namespace sinter::inline SINTER_ABI::detail::debug
