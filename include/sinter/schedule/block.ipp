#pragma once

#include <set>      // std::set
#include <utility>  // std::move, std::pair

#include <sinter/base/error.hpp>
#include <sinter/schedule/block.hpp>
#include <sinter/schedule/block_group.hpp>
#include <sinter/schedule/block_joiner.ipp>
#include <sinter/schedule/block_steps.hpp>
#include <sinter/schedule/block_units.hpp>
#include <sinter/schedule/stream.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// Kernels and groups in an order in which each comes after what it reads.
struct Sorter {
  std::vector<Lowered> units;
  std::vector<std::size_t> positions;  // where each stood first
  std::vector<std::vector<std::size_t>> followers{};
  std::vector<std::size_t> needs{};

  void add_edge(std::size_t from, std::size_t to) {
    if (from == to) return;
    followers[from].push_back(to);
    ++needs[to];
  }

  std::vector<Lowered> run() {
    std::set<std::pair<std::size_t, std::size_t>> ready;
    std::vector<Lowered> result;
    for (std::size_t u = 0; u < units.size(); ++u) {
      if (needs[u] == 0) ready.insert({positions[u], u});
    }
    while (!ready.empty()) {
      const std::size_t u = ready.begin()->second;
      ready.erase(ready.begin());
      result.push_back(std::move(units[u]));
      for (const std::size_t next : followers[u]) {
        if (--needs[next] == 0) ready.insert({positions[next], next});
      }
    }
    return result;
  }
};

// A group as one kernel.
using Join = FunctionRef<Lowered(const Group&)>;

// Which unit each kernel is, and the units: kernels as they are, and groups.
SINTER_INLINE Sorter units_of(const std::vector<Lowered>& kernels, const std::vector<Group>& groups,
                              const Join& join, std::vector<std::size_t>& unit_of) {
  Sorter sorter;
  unit_of.assign(kernels.size(), kernels.size());
  for (const Group& group : groups) {
    for (const Piece& piece : group.pieces) unit_of[piece.kernel] = sorter.units.size();
    sorter.positions.push_back(group.pieces[0].kernel);
    sorter.units.push_back(join(group));
  }
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    if (unit_of[k] < kernels.size()) continue;
    unit_of[k] = sorter.units.size();
    sorter.positions.push_back(k);
    sorter.units.push_back(kernels[k]);
  }
  sorter.followers.resize(sorter.units.size());
  sorter.needs.resize(sorter.units.size());
  return sorter;
}

// `kernels` in an order, with those of each of `groups` as one.
SINTER_INLINE std::vector<Lowered> put_together(const std::vector<Lowered>& kernels,
                                                const std::vector<Group>& groups,
                                                const Join& join) {
  if (groups.empty()) return kernels;
  std::vector<std::size_t> unit_of;
  Sorter sorter = units_of(kernels, groups, join, unit_of);
  const auto followers = followers_of(kernels);
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    for (const std::size_t next : followers[k]) sorter.add_edge(unit_of[k], unit_of[next]);
  }
  std::vector<Lowered> sorted = sorter.run();
  if (sorted.size() != sorter.units.size()) throw InternalError("blocks that need each other");
  return sorted;
}

}  // namespace detail

SINTER_INLINE std::vector<Lowered> in_blocks(const Graph& graph, std::vector<Lowered> kernels,
                                             const std::vector<Lowered>& parts) {
  const Traces traces(graph, kernels);
  const std::vector<Lowered>& pieces = parts.empty() ? kernels : parts;
  const auto join = [&](const Group& group) { return detail::Joiner{traces, pieces, group}.run(); };
  return detail::put_together(kernels, group_rows(graph, kernels), join);
}

SINTER_INLINE std::vector<Lowered> in_streams(const Graph& graph, std::vector<Lowered> kernels,
                                              const std::vector<Lowered>& parts) {
  const Traces traces(graph, kernels);
  const std::vector<Lowered>& pieces = parts.empty() ? kernels : parts;
  const auto join = [&](const Group& group) {
    Lowered result = detail::Joiner{traces, pieces, group}.run();
    merge_steps(result.kernel);
    keep_stored_numbers(result.kernel);
    return result;
  };
  const auto accepts = [&](const Group& group) {
    return static_cast<bool>(stream_form(join(group).kernel));
  };
  const StreamsGroup streams(accepts);
  return detail::put_together(kernels, group_rows(graph, kernels, &streams), join);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
