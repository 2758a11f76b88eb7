#pragma once

#include <algorithm>      // std::any_of, std::find
#include <iterator>       // std::next
#include <set>            // std::set
#include <unordered_map>  // std::unordered_map
#include <utility>        // std::move

#include <sinter/schedule/order.hpp>

namespace sinter::inline SINTER_ABI::schedule {

namespace detail {

SINTER_INLINE bool can_fault(const Kernel& kernel) {
  return std::any_of(kernel.instructions.begin(), kernel.instructions.end(),
                     [](const Instruction& one) { return schedule::can_fault(one); });
}

SINTER_INLINE std::int32_t argument_of(const Lowered& lowered, NodeId node) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < lowered.kernel.arguments.size(); ++i) {
    if (lowered.kernel.arguments[i].access == Access::local) continue;
    if (lowered.nodes[next++] == node) return static_cast<std::int32_t>(i);
  }
  return -1;
}

// Whether `lowered` may write `output` into the memory of `input`: it reads no element of it but
// the one that it writes next.
SINTER_INLINE bool may_share(const Lowered& lowered, NodeId input, NodeId output) {
  const std::int32_t from = argument_of(lowered, input), to = argument_of(lowered, output);
  if (from < 0) return true;
  Extent written = 0;
  bool stored = false;
  if (has(lowered.kernel, Code::sort)) return false;
  for (const Instruction& instruction : lowered.kernel.instructions) {
    if (instruction.code != Code::store || instruction.argument != to) continue;
    if (stored || instruction.accumulate) return false;
    written = instruction.index;
    stored = true;
  }
  stored = false;
  for (const Instruction& instruction : lowered.kernel.instructions) {
    stored |= instruction.code == Code::store && instruction.argument == to;
    if (instruction.code != Code::load || instruction.argument != from) continue;
    if (stored || !same(instruction.index, written)) return false;
  }
  return true;
}

struct Orderer {
  std::span<const Lowered> kernels;
  Order result{};

  struct State {
    NodeId recorded = 0;  // where the program computed it
    std::size_t needs = 0, waits_for = 0;
    std::vector<std::size_t> needed_by{}, awaited_by{};
    bool faults = false;
    std::vector<NodeId> updates{};  // outputs that it writes in the memory of inputs
  };
  std::vector<State> states{};
  std::unordered_map<NodeId, std::vector<std::size_t>> readers{};
  std::unordered_map<NodeId, std::size_t> writers{};  // the last of each
  std::unordered_map<NodeId, int> writer_counts{};
  std::size_t faulting = 0;
  using Entry = std::pair<NodeId, std::size_t>;
  std::set<Entry> ready{}, waiting{};

  void find_edges() {
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      const Lowered& lowered = kernels[k];
      states[k].recorded = lowered.recorded;
      states[k].faults = can_fault(lowered.kernel);
      faulting += states[k].faults;
      for (const NodeId node : lowered.nodes) find_edge(k, node);
    }
  }

  void find_edge(std::size_t k, NodeId node) {
    const auto argument = static_cast<std::size_t>(argument_of(kernels[k], node));
    const Access access = kernels[k].kernel.arguments[argument].access;
    const auto writer = writers.find(node);
    if (writer != writers.end()) {
      states[writer->second].needed_by.push_back(k);
      ++states[k].needs;
    }
    if (access != Access::write) readers[node].push_back(k);
    if (access == Access::read) return;
    writers[node] = k;
    ++writer_counts[node];
  }

  void copy(NodeId node) {
    auto& copied = result.copied;
    if (std::find(copied.begin(), copied.end(), node) == copied.end()) copied.push_back(node);
  }

  void add_update(NodeId input, NodeId output) {
    const auto writer = writers.find(output);
    if (writer == writers.end()) return;  // an input that stays as it is
    const std::size_t k = writer->second;
    const bool together = writer_counts[output] == 1;  // not over elements that are still read
    if (!together || states[k].faults || !may_share(kernels[k], input, output)) {
      return copy(output);
    }
    states[k].updates.push_back(output);
    for (const std::size_t reader : readers[input]) {
      if (reader == k) continue;
      states[reader].awaited_by.push_back(k);
      ++states[k].waits_for;
    }
  }

  bool is_held(const State& state) const {
    return !state.updates.empty() && (state.waits_for > 0 || faulting > 0);
  }

  void offer(std::size_t k) {
    const Entry entry{states[k].recorded, k};
    if (states[k].needs > 0) return;
    (is_held(states[k]) ? waiting : ready).insert(entry);
  }

  void release() {
    for (auto entry = waiting.begin(); entry != waiting.end();) {
      const bool held = is_held(states[entry->second]);
      if (!held) ready.insert(*entry);
      entry = held ? std::next(entry) : waiting.erase(entry);
    }
  }

  // Runs the first kernel that is held although others need it: its updates are copied later.
  void force() {
    const Entry entry = *waiting.begin();
    waiting.erase(waiting.begin());
    for (const NodeId output : states[entry.second].updates) copy(output);
    states[entry.second].updates.clear();
    ready.insert(entry);
  }

  void run(std::size_t k) {
    result.kernels.push_back(k);
    State& state = states[k];
    bool opens = state.faults && --faulting == 0;
    for (const std::size_t other : state.awaited_by) opens |= --states[other].waits_for == 0;
    for (const std::size_t other : state.needed_by) {
      if (--states[other].needs == 0) offer(other);
    }
    if (opens) release();
  }

  void run_all() {
    for (std::size_t k = 0; k < kernels.size(); ++k) offer(k);
    while (!ready.empty() || !waiting.empty()) {
      if (ready.empty()) force();
      const std::size_t k = ready.begin()->second;
      ready.erase(ready.begin());
      run(k);
    }
  }
};

}  // namespace detail

SINTER_INLINE Order order(std::span<const Lowered> kernels, std::span<const Overwriting> updates) {
  detail::Orderer orderer{kernels};
  orderer.states.resize(kernels.size());
  orderer.find_edges();
  for (const Overwriting& update : updates) orderer.add_update(update.input, update.output);
  orderer.run_all();
  return std::move(orderer.result);
}

}  // namespace sinter::inline SINTER_ABI::schedule
