#pragma once

#include <algorithm>  // std::find
#include <mutex>      // std::lock_guard
#include <span>       // std::span

#include <sinter/autodiff/gradient.hpp>
#include <sinter/graph/hash.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/graph/subgraph.hpp>
#include <sinter/graph/verify.hpp>
#include <sinter/jit/lower.hpp>
#include <sinter/jit/repeated_calls.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

SINTER_INLINE Hash key_of_calls(const Graph& graph, std::size_t purpose) {
  Hasher hasher;
  hasher.add(hash_of(graph)).add(purpose);
  detail::add_lines(hasher, graph);
  return hasher.result();
}

SINTER_INLINE CallPlan plan_gradients(const Graph& graph, std::size_t count) {
  Graph both = graph;
  const std::span<const Value> outputs = graph.outputs;
  const std::span<const Value> known = outputs.subspan(count + 1);
  std::vector<Value> wanted = autodiff::gradient(both, outputs[0], outputs.subspan(1, count));
  wanted.insert(wanted.begin(), outputs[0]);
  const Subgraph part = subgraph(both, wanted, known);
  CallPlan result{GraphWithCalls(part.graph)};
  for (const Value input : part.inputs) {
    const auto place = std::find(known.begin(), known.end(), input);
    result.inputs.push_back(static_cast<std::size_t>(place - known.begin()));
  }
  return result;
}

SINTER_INLINE std::shared_ptr<const CallPlan> RepeatedCalls::find(const Hash& key,
                                                                  const Graph& graph,
                                                                  FunctionRef<CallPlan()> make) {
  const Hash asked = verifies() ? hash_with_symbols(graph) : Hash();
  {
    const std::lock_guard lock(mutex_);
    if (known_.size() == most) known_.clear();
    const auto [entry, is_new] = known_.try_emplace(key, Known{nullptr, asked});
    if (is_new) return nullptr;
    require_shared(entry->second.graph, asked, "calls are shared by graphs of other symbols\n",
                   graph);
    if (entry->second.plan != nullptr) return entry->second.plan;
  }
  auto plan = std::make_shared<CallPlan>(make());
  plan->steps.compile_parts();
  const std::lock_guard lock(mutex_);
  known_[key] = {plan, asked};
  return plan;
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
