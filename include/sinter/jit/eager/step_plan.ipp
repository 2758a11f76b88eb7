#pragma once

#include <cstring>  // std::memcpy
#include <mutex>    // std::lock_guard

#include <sinter/autodiff/gradient_functions.hpp>
#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/hash.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/graph/subgraph.hpp>
#include <sinter/graph/verify.hpp>
#include <sinter/jit/eager/step_plan.hpp>
#include <sinter/jit/lower/program_cache.hpp>
#include <sinter/jit/rewrite/lifted_numbers.hpp>
#include <sinter/runtime/interpreter/interpret.hpp>
#include <sinter/trace/value/hash.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

SINTER_INLINE Hash step_plan_key(const Graph& graph) {
  Hasher hasher;
  hasher.add(hash_of(graph));
  detail::add_lines(hasher, graph);
  return hasher.result();
}

SINTER_INLINE StepPlan plan_gradients(const Graph& graph, std::size_t count) {
  Graph both = graph;
  const Span<const Value> outputs = graph.outputs;
  const Span<const Value> known = outputs.subspan(count + 1);
  Vector<Value> wanted =
      autodiff::gradient_functions().load()->gradient(both, outputs[0], outputs.subspan(1, count));
  wanted.insert(wanted.begin(), outputs[0]);
  const Subgraph part = subgraph(both, wanted, known);
  StepPlan result{GraphSteps(part.graph)};
  for (const Value input : part.inputs) {
    const auto place = find(known, input);
    result.inputs.push_back(static_cast<std::size_t>(place - known.begin()));
  }
  return result;
}

SINTER_INLINE SharedPtr<const StepPlan> StepPlanCache::find(
    const Hash& key, FunctionRef<Graph()> graph, FunctionRef<StepPlan(const Graph&)> make) {
  const Graph checked = verifies() ? graph() : Graph();
  const Hash asked = verifies() ? hash_with_symbols(checked) : Hash();
  {
    const std::lock_guard lock(mutex_);
    if (known_.size() == most) known_.clear();
    const auto [entry, is_new] = known_.try_emplace(key, Known{nullptr, asked});
    if (is_new) return nullptr;
    require_shared(entry->second.graph, asked, "graphs with different symbols share a step plan\n",
                   checked);
    if (entry->second.plan != nullptr) return entry->second.plan;
  }
  auto plan = make_shared_ptr<StepPlan>(make(graph()));
  plan->steps.compile_evaluated_steps();
  const std::lock_guard lock(mutex_);
  known_[key] = {plan, asked};
  return plan;
}

SINTER_INLINE Vector<bool> StepPlanCache::choose_inputs(const Hash& kind,
                                                        Span<const std::uint64_t> numbers) {
  const std::lock_guard lock(mutex_);
  if (numbers_.size() == most) numbers_.clear();
  return numbers_.choose(kind, numbers, true);
}

namespace detail {

// The constants of a value. Those that change between evaluations are inputs of its plan.
struct ValueNumbers {
  Vector<std::uint64_t> bits{};
  Vector<bool> are_inputs{};

  Hash key(Hasher hasher) const {
    for (std::size_t i = 0; i < bits.size(); ++i) {
      hasher.add(are_inputs[i]).add(are_inputs[i] ? 0 : bits[i]);
    }
    return hasher.result();
  }
};

// The elements that plan inputs refer to: the known ones of `value`, then its lifted constants.
class PlanInputs {
 public:
  PlanInputs(const CalledValue& value, const Vector<bool>& are_inputs) : value_(value) {
    for (std::size_t i = 0; i < are_inputs.size(); ++i) {
      if (are_inputs[i]) add(attribute<Constant>(value.key().numbers()[i]->node, "value"));
    }
  }
  const Storage& operator[](std::size_t position) const {
    const std::size_t known = value_.known().size();
    return position < known ? *value_.known()[position] : numbers_[position - known];
  }

 private:
  void add(const Constant& number) {
    const std::uint64_t element = element_of(number);
    Storage& storage = numbers_.emplace_back(Storage::allocate(info(number.dtype).size));
    std::memcpy(storage.data(), &element, info(number.dtype).size);
  }

  const CalledValue& value_;
  Vector<Storage> numbers_{};
};

}  // namespace detail

SINTER_INLINE Vector<Storage> StepPlanCache::value_and_gradients(const CalledValue& value,
                                                                 FunctionRef<void()> unlock) {
  detail::ValueNumbers numbers;
  for (const Lazy* const number : value.key().numbers()) {
    numbers.bits.push_back(bits_of_number(*number));
  }
  numbers.are_inputs = choose_inputs(value.key().hash(), numbers.bits);
  const std::size_t count = value.variable_count();
  const Hash key = numbers.key(Hasher().add(value.key().hash()).add(count));
  const SharedPtr<const StepPlan> plan = find(
      key, [&] { return value.graph(numbers.are_inputs); },
      [count](const Graph& graph) { return plan_gradients(graph, count); });
  if (plan == nullptr) return {};
  const detail::PlanInputs known(value, numbers.are_inputs);
  Vector<Storage> inputs;
  inputs.reserve(plan->inputs.size());
  for (const std::size_t position : plan->inputs) inputs.push_back(known[position]);
  unlock();
  return plan->steps.run(inputs, cpu(), [](const Graph& part, Span<const Storage> given) {
    return runtime::interpret(part, given);
  });
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
