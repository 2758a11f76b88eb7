#pragma once

#include <utility>  // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/dist/collective/rules.hpp>
#include <sinter/dist/collective/transport.hpp>
#include <sinter/dist/parallel/bucket.hpp>
#include <sinter/dist/parallel/bucket_gradients.hpp>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/control.hpp>

namespace sinter::inline SINTER_ABI::detail::parallel {

// Whether two all_reduces may share a bucket: those of one call of dist::all_reduce(gradients). The
// line alone does not tell: a function that is called for two models has one line.
SINTER_INLINE bool is_same_call(const Collective& a, const Collective& b) {
  return word_of(a.where) == word_of(b.where) && a.group == b.group && a.reduce == b.reduce &&
         a.on_gpu == b.on_gpu;
}

// Puts the gradients of one call of dist::all_reduce(gradients) into buckets.
class GradientBuckets {
 public:
  GradientBuckets(Graph& graph, const Collective& call) : graph_(graph), call_(call) {
    find_shared();
    find_before();
  }

  Graph run() {
    if (shared_.empty()) return std::move(graph_);
    for (NodeId id = 0; id < graph_.nodes.size(); ++id) {
      if (before_[id]) copy(id);
    }
    start();
    for (NodeId id = 0; id < graph_.nodes.size(); ++id) {
      if (!before_[id] && !after_[id]) copy(id);
    }
    wait();
    for (NodeId id = 0; id < graph_.nodes.size(); ++id) {
      if (after_[id] && !contains(shared_, id)) copy(id);
    }
    result_.inputs.clear();
    for (const NodeId input : graph_.inputs) result_.inputs.push_back(moved_[input][0].node);
    for (const Value output : graph_.outputs) {
      result_.outputs.push_back(moved_[output.node][output.result]);
    }
    return std::move(result_);
  }

 private:
  struct Bucket {
    Vector<NodeId> nodes{};
    std::int64_t bytes = 0;
    NodeId started = 0;
  };

  const Collective& what(NodeId id) const { return *collective::collective_of(graph_[id]); }

  // Finds all_reduces of the call that do not depend on each other, the last gradient first.
  void find_shared() {
    after_.resize(graph_.nodes.size(), false);
    for (NodeId id = 0; id < graph_.nodes.size(); ++id) {
      const Node& node = graph_[id];
      after_[id] = any_of(node.inputs, [&](Value input) { return after_[input.node]; });
      const Collective* const found = collective::collective_of(node);
      const bool is_shared = found != nullptr && found->gradient >= 0 &&
                             is_same_call(*found, call_) && !after_[id] &&
                             is_static(node.results[0].shape);
      if (!is_shared) continue;
      after_[id] = true;
      shared_.push_back(id);
    }
    stable_sort(shared_, [&](NodeId a, NodeId b) { return what(a).gradient > what(b).gradient; });
  }

  // Finds the nodes that the gradients depend on, and all inputs.
  void find_before() {
    before_.resize(graph_.nodes.size(), false);
    for (const NodeId input : graph_.inputs) before_[input] = true;
    for (const NodeId id : shared_) before_[graph_[id].inputs[0].node] = true;
    for (std::size_t id = graph_.nodes.size(); id-- > 0;) {
      if (!before_[id]) continue;
      for (const Value input : graph_.nodes[id].inputs) before_[input.node] = true;
    }
    moved_.resize(graph_.nodes.size());
  }

  void copy(NodeId id) {
    Node node = graph_[id];
    for (Value& input : node.inputs) input = moved_[input.node][input.result];
    const std::size_t count = node.results.size();
    const NodeId copied = builder_.append_typed(std::move(node));
    for (std::uint32_t i = 0; i < count; ++i) moved_[id].push_back({copied, i});
  }

  // A bucket ends with the gradient that fills it.
  Vector<Bucket> buckets() const {
    Vector<Bucket> result;
    bool is_full = true;
    DType dtype{};
    for (const NodeId id : shared_) {
      const TensorType& type = graph_[id].results[0];
      if (is_full || type.dtype != dtype) result.emplace_back();
      dtype = type.dtype;
      Bucket& last = result.back();
      last.nodes.push_back(id);
      last.bytes += numel(type.shape).number() * static_cast<std::int64_t>(info(dtype).size);
      is_full = last.bytes >= (result.size() == 1 ? first_bucket_bytes : bucket_bytes);
    }
    return result;
  }

  bool is_alone() const {
    return collective::group(call_.group, op_of(call_), call_.where).size() == 1;
  }

  void start() {
    if (is_alone()) return;
    buckets_ = buckets();
    for (Bucket& bucket : buckets_) {
      Vector<Value> gradients;
      for (const NodeId id : bucket.nodes) {
        const Value from = graph_[id].inputs[0];
        gradients.push_back(moved_[from.node][from.result]);
      }
      const Collective& first = what(bucket.nodes[0]);
      if (first.on_gpu) {
        give(bucket, builder_.append_typed(gpu_bucket(first, gradients, types_of(bucket))));
      } else {
        bucket.started = builder_.append_typed(start_bucket(first, gradients, types_of(bucket)));
      }
    }
  }

  void wait() {
    for (const NodeId id : shared_) {
      const Value from = graph_[id].inputs[0];
      if (is_alone()) moved_[id].push_back(moved_[from.node][from.result]);
    }
    for (const Bucket& bucket : buckets_) {
      const Collective& first = what(bucket.nodes[0]);
      if (first.on_gpu) continue;
      give(bucket, builder_.append_typed(wait_for_bucket(first, bucket.started, types_of(bucket))));
    }
  }

  Vector<TensorType> types_of(const Bucket& bucket) const {
    Vector<TensorType> result;
    for (const NodeId id : bucket.nodes) result.push_back(graph_[id].results[0]);
    return result;
  }

  // Takes the results of node `from` as the reduced gradients of a bucket.
  void give(const Bucket& bucket, NodeId from) {
    std::uint32_t next = 0;
    for (const NodeId id : bucket.nodes) moved_[id].push_back({from, next++});
  }

  Graph& graph_;
  const Collective& call_;  // one of its all_reduces
  Vector<NodeId> shared_{};
  Vector<bool> before_{}, after_{};  // what the gradients depend on, and what depends on them
  Vector<Bucket> buckets_{};
  Graph result_{};
  Builder builder_{result_};
  Vector<Vector<Value>> moved_{};  // by the old id
};

// The first all_reduce of each call of dist::all_reduce(gradients).
SINTER_INLINE Vector<Collective> calls_of_gradients(const Graph& graph) {
  Vector<Collective> result;
  for (const Node& node : graph.nodes) {
    const Collective* const found = collective::collective_of(node);
    if (found == nullptr || found->gradient < 0) continue;
    const auto is_known = [&](const Collective& call) { return is_same_call(call, *found); };
    if (!any_of(result, is_known)) result.push_back(*found);
  }
  return result;
}

SINTER_INLINE Graph bucket_gradients(Graph graph) {
  for (const Collective& call : calls_of_gradients(graph)) {
    graph = GradientBuckets(graph, call).run();
  }
  return graph;
}

}  // namespace sinter::inline SINTER_ABI::detail::parallel
