#pragma once
// The launch order of kernels, and the updates that cannot be written in place.

#include <cstddef>  // std::size_t
#include <utility>  // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/sorted_map.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/analysis/statistics.hpp>
#include <sinter/schedule/launch/in_place_updates.hpp>
#include <sinter/schedule/lower/dependences.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

struct LaunchOrder {
  Vector<std::size_t> kernels{};  ///< Positions in the list of kernels.
  /// Nodes that cannot be computed in the memory of an input: a later kernel reads the input or can
  /// fault, or the same kernel does, or several kernels write the node. They are copied at the end.
  Vector<NodeId> copied{};
};

namespace detail {

// A buffer that stays in the arena until its last reader has run.
struct LiveBuffer {
  std::int64_t bytes = 0;
  std::size_t readers = 0;  // that have not run yet
};

struct LaunchScheduler {
  Span<const LoweredKernel> kernels;
  Span<const NodeId> outputs{};
  const LaunchLimits& limits;
  LaunchOrder result{};

  struct State {
    NodeId recorded = 0;                   // where the program computed it
    std::size_t needs = 0, waits_for = 0;  // kernels that have not run yet
    Vector<std::size_t> awaited_by{};
    bool faults = false;
    Vector<NodeId> updates{};  // outputs that it writes in the memory of inputs
    std::int64_t frees = 0;    // bytes freed minus bytes allocated; known while it is ready
    bool is_ready = false;
  };
  Vector<State> states{};
  Dependences edges{};
  HashMap<NodeId, Vector<std::size_t>> readers{};
  HashMap<NodeId, std::size_t> writers{};  // the last of each
  HashMap<NodeId, int> writer_counts{};
  std::size_t faulting = 0;
  using Entry = std::pair<NodeId, std::size_t>;
  SortedSet<Entry> ready{}, waiting{};
  HashMap<NodeId, LiveBuffer> live_buffers{};
  SortedSet<std::pair<std::int64_t, std::size_t>> freeing{};  // ready kernels, the best one first

  void find_edges() {
    edges = dependences(kernels);
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      states[k].recorded = kernels[k].recorded;
      states[k].faults = can_fault(kernels[k]);
      states[k].needs = edges.before[k].size();
      faulting += states[k].faults;
      for_each_buffer(kernels[k], [&](NodeId node, std::size_t i) {
        const Access access = kernels[k].kernel.arguments[i].access;
        if (access != Access::write) readers[node].push_back(k);
        if (access == Access::read) return;
        writers[node] = k;
        ++writer_counts[node];
      });
    }
  }

  void copy(NodeId node) {
    auto& copied = result.copied;
    if (!contains(copied, node)) copied.push_back(node);
  }

  void add_update(NodeId input, NodeId output) {
    const auto writer = writers.find(output);
    if (writer == writers.end()) return;  // an input that is returned unchanged
    const std::size_t k = writer->second;
    const bool together = writer_counts[output] == 1;  // not over elements that are still read
    if (!together || states[k].faults || !may_write_in_place(kernels[k], input, output)) {
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

  // Buffers that kernels write or read are in the arena, unless they are outputs.
  void find_live_buffers() {
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      for_each_buffer(kernels[k], [&](NodeId node, std::size_t i) {
        const Argument& argument = kernels[k].kernel.arguments[i];
        if (writers.count(node) == 0) return;
        live_buffers[node].bytes =
            typical(argument.elements) * static_cast<std::int64_t>(info(argument.dtype).size);
      });
    }
    for (const NodeId output : outputs) live_buffers.erase(output);
    for (auto& [node, known] : live_buffers) known.readers = readers[node].size();
  }

  // Bytes of the arena that `k` reads and writes.
  std::pair<std::int64_t, std::int64_t> traffic(std::size_t k) const {
    std::pair<std::int64_t, std::int64_t> bytes{0, 0};
    for_each_buffer(kernels[k], [&](NodeId node, std::size_t i) {
      const Argument& argument = kernels[k].kernel.arguments[i];
      const auto known = live_buffers.find(node);
      if (known == live_buffers.end()) return;
      (argument.access == Access::read ? bytes.first : bytes.second) += known->second.bytes;
    });
    return bytes;
  }

  // Runs small kernels that read only inputs first if their readers free memory. An example is the
  // step size, which an optimizer computes last but which the update of each weight waits for.
  void advance_small_kernels() {
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      if (states[k].needs > 0 || traffic(k).second > limits.few_bytes) continue;
      const auto& others = edges.after[k];
      const bool helps = any_of(others, [&](std::size_t other) {
        return traffic(other).first >= limits.fewest_freed_bytes;
      });
      if (helps) states[k].recorded = 0;
    }
  }

  // If kernel `k` is ready, recomputes how much memory it frees.
  void update_freed_bytes(std::size_t k) {
    State& state = states[k];
    if (!state.is_ready) return;
    freeing.erase({-state.frees, k});
    state.frees = 0;
    for_each_buffer(kernels[k], [&](NodeId node, std::size_t i) {
      const Argument& argument = kernels[k].kernel.arguments[i];
      const auto known = live_buffers.find(node);
      if (known == live_buffers.end()) return;
      if (argument.access == Access::write) state.frees -= known->second.bytes;
      if (argument.access != Access::write && known->second.readers == 1) {
        state.frees += known->second.bytes;
      }
    });
    if (state.frees >= limits.fewest_freed_bytes) freeing.insert({-state.frees, k});
  }

  void make_ready(Entry entry) {
    ready.insert(entry);
    states[entry.second].is_ready = true;
    update_freed_bytes(entry.second);
  }

  // Removes the kernel that runs next.
  std::size_t take_ready() {
    const std::size_t k = freeing.empty() ? ready.begin()->second : freeing.begin()->second;
    ready.erase({states[k].recorded, k});
    freeing.erase({-states[k].frees, k});
    states[k].is_ready = false;
    return k;
  }

  // Counts down the readers of the buffers that `k` has read; the last reader frees a buffer.
  void release_memory(std::size_t k) {
    for_each_buffer(kernels[k], [&](NodeId node, std::size_t i) {
      const Argument& argument = kernels[k].kernel.arguments[i];
      const auto known = live_buffers.find(node);
      if (argument.access == Access::write || known == live_buffers.end()) return;
      if (--known->second.readers != 1) return;
      for (const std::size_t reader : readers[node]) update_freed_bytes(reader);
    });
  }

  void offer(std::size_t k) {
    const Entry entry{states[k].recorded, k};
    if (states[k].needs > 0) return;
    is_held(states[k]) ? void(waiting.insert(entry)) : make_ready(entry);
  }

  void release() {
    for (auto entry = waiting.begin(); entry != waiting.end();) {
      const bool held = is_held(states[entry->second]);
      if (!held) make_ready(*entry);
      if (held) {
        ++entry;
      } else {
        entry = waiting.erase(entry);
      }
    }
  }

  // Runs the first waiting kernel although it has to wait: its updates are copied at the end.
  void force() {
    const Entry entry = *waiting.begin();
    waiting.erase(waiting.begin());
    for (const NodeId output : states[entry.second].updates) copy(output);
    states[entry.second].updates.clear();
    make_ready(entry);
  }

  void run(std::size_t k) {
    result.kernels.push_back(k);
    release_memory(k);
    State& state = states[k];
    bool opens = state.faults && --faulting == 0;
    for (const std::size_t other : state.awaited_by) opens |= --states[other].waits_for == 0;
    for (const std::size_t other : edges.after[k]) {
      if (--states[other].needs == 0) offer(other);
    }
    if (opens) release();
  }

  void run_all() {
    find_live_buffers();
    advance_small_kernels();
    for (std::size_t k = 0; k < kernels.size(); ++k) offer(k);
    while (!ready.empty() || !waiting.empty()) {
      if (ready.empty()) force();
      run(take_ready());
    }
  }
};

}  // namespace detail

/// The launch order: kernels as recorded, but those that update state run after all that read the
/// old state or can fault, where possible; and the last readers of LaunchLimits::fewest_freed_bytes
/// more than they write run as soon as they can. `outputs` of the graph have memory of their own.
inline LaunchOrder find_launch_order(Span<const LoweredKernel> kernels,
                                     Span<const NodeUpdate> updates,
                                     Span<const NodeId> outputs = {},
                                     const LaunchLimits& limits = {}) {
  detail::LaunchScheduler scheduler{kernels, outputs, limits};
  scheduler.states.resize(kernels.size());
  scheduler.find_edges();
  for (const NodeUpdate& update : updates) scheduler.add_update(update.input, update.output);
  scheduler.run_all();
  return std::move(scheduler.result);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
