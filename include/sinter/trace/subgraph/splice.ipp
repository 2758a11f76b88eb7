#pragma once

#include <utility>  // std::move

#include <sinter/base/container/sorted_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/subgraph/body.hpp>
#include <sinter/trace/subgraph/splice.hpp>

namespace sinter::inline SINTER_ABI::detail {

// The unknown nodes that `wanted` depends on.
SINTER_INLINE Vector<bool> unknown_nodes(const Graph& graph, const std::vector<Tensor>& known,
                                         Span<const Value> wanted) {
  Vector<bool> result(graph.nodes.size());
  for (const Value value : wanted) result[value.node] = true;
  for (NodeId id = static_cast<NodeId>(graph.nodes.size()); id-- > 0;) {
    result[id] = result[id] && !known[id].defined();
    if (!result[id]) continue;
    for (const Value input : graph[id].inputs) result[input.node] = true;
  }
  return result;
}

// The values of the nodes of a graph.
class Splicer {
 public:
  Splicer(std::vector<Tensor> known, Where where) : known_(std::move(known)), where_(where) {}

  void add(NodeId id, Node node) {
    Vector<LazyValue> operands;
    for (const Value input : node.inputs) {
      const Tensor value = result(input);
      operands.push_back({value.lazy(), value.result()});
    }
    node.inputs.clear();
    LazyRef lazy = make_lazy(std::move(node), std::move(operands), 0);
    if (Recorder* const recorder = current_recorder()) recorder->adopt(lazy);
    known_[id] = Tensor(std::move(lazy));
  }

  Tensor result(Value value) {
    const Tensor& from = known_[value.node];
    const auto [entry, is_new] = results_.try_emplace({value.node, value.result});
    if (is_new) entry->second = result_of(from.lazy(), from.result() + value.result, where_);
    return entry->second;
  }

 private:
  std::vector<Tensor> known_;
  Where where_;
  SortedMap<std::pair<NodeId, std::uint32_t>, Tensor> results_{};
};

SINTER_INLINE std::vector<Tensor> splice(const Graph& graph, std::vector<Tensor> known,
                                         Span<const Value> wanted, Where where) {
  known.resize(graph.nodes.size());
  const Vector<bool> unknown = unknown_nodes(graph, known, wanted);
  Splicer splicer(std::move(known), where);
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    if (unknown[id]) splicer.add(id, graph[id]);
  }
  std::vector<Tensor> result;
  for (const Value value : wanted) result.push_back(splicer.result(value));
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail
