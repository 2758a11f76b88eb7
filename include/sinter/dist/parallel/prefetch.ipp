#pragma once

#include <cstring>  // std::memcpy
#include <utility>  // std::move

#include <sinter/base/container/vector.hpp>
#include <sinter/dist/collective/kernel.hpp>
#include <sinter/dist/collective/rules.hpp>
#include <sinter/dist/parallel/prefetch.hpp>
#include <sinter/dist/parallel/started.hpp>
#include <sinter/graph/control.hpp>
#include <sinter/schedule/control/section.hpp>

namespace sinter::inline SINTER_ABI::detail::parallel {

using collective::Collective;

class GatherJob : public StartedJob {
 public:
  GatherJob(const Collective& what, const RawTensor& part, const RawTensor& whole)
      : StartedJob(what, whole), part_(part.data()), bytes_(bytes_of(part)) {
    if (!checks_custom()) return;
    copy_ = Storage::allocate(bytes_, cpu(), Where(), "a part");
    if (bytes_ != 0) std::memcpy(copy_.data(), part_, bytes_);
    part_ = copy_.data();
  }

 protected:
  void move(collective::Bytes& bytes, const collective::Transport&) override {
    bytes.all_gather(part_, data(), bytes_);
  }

 private:
  const void* part_;
  std::size_t bytes_;
  Storage copy_{};  // under SINTER_CHECK
};

class GatherSource : public JobSource {
 public:
  SharedPtr<StartedJob> job_of(const Collective& what, std::span<const RawTensor> in,
                               const RawTensor& memory) const override {
    return SharedPtr<StartedJob>(make_shared_ptr<GatherJob>(what, in[0], memory));
  }
  collective::Call call_of(const Collective& what, std::span<const RawTensor> in) const override {
    return collective::call_of(what, in, {});
  }
};

class Prefetch {
 public:
  explicit Prefetch(const Graph& graph) : graph_(graph), moved_(graph.nodes.size(), none) {}

  Graph run() {
    for (NodeId id = 0; id < graph_.nodes.size(); ++id) {
      if (is_early(id)) gathers_.push_back(id);
    }
    if (gathers_.empty()) return graph_;
    for (const NodeId input : graph_.inputs) append(input);
    start_next();
    for (NodeId id = 0; id < graph_.nodes.size(); ++id) {
      if (moved_[id] != none) continue;
      is_early(id) ? wait(id) : append(id);
    }
    for (const Value output : graph_.outputs) result_.outputs.push_back(moved(output));
    result_.tf32 = graph_.tf32;
    return std::move(result_);
  }

 private:
  static constexpr NodeId none = ~NodeId{0};

  // Whether `id` gathers an input of the graph that is at most cast or moved: it can start early.
  bool is_early(NodeId id) const {
    const Collective* const found = collective::collective_of(graph_[id]);
    const bool is_fence = found != nullptr && found->kind == collective::Kind::all_gather &&
                          found->is_of_parameter && !found->on_gpu &&
                          schedule::is_fence(graph_[id]);
    if (!is_fence || !is_static(graph_[id].results[0].shape)) return false;
    NodeId from = graph_[id].inputs[0].node;
    while (is_movement(graph_[from].op) || graph_[from].op == Op::cast) {
      from = graph_[from].inputs[0].node;
    }
    return graph_[from].op == Op::input;
  }

  Value moved(Value value) {
    append(value.node);
    return {moved_[value.node], value.result};
  }

  void append(NodeId id) {
    if (moved_[id] != none) return;
    Node node = graph_[id];
    for (std::size_t i = 0; i < node.inputs.size(); ++i) node.inputs[i] = moved(node.inputs[i]);
    moved_[id] = result_.append(std::move(node));
  }

  void start_next() {
    if (started_.size() == gathers_.size()) return;
    const Node& gather = graph_[gathers_[started_.size()]];
    const Value part = moved(gather.inputs[0]);
    Node node = start_node(*collective::collective_of(gather), "start_all_gather",
                           make_shared_ptr<const GatherSource>(), {&part, 1}, gather.results[0]);
    started_.push_back(result_.append(std::move(node)));
  }

  void wait(NodeId id) {
    const Node& gather = graph_[id];
    const NodeId start = started_[waited_++];
    const Vector<Value> inputs{result_[start].inputs[0], Value(start, 1)};
    Node node = wait_node(*collective::collective_of(gather), "wait_all_gather", start, inputs,
                          {&gather.results[0], 1});
    node.attributes.push_back({schedule::fence_attribute, constant(0)});
    moved_[id] = result_.append(std::move(node));
    start_next();
  }

  const Graph& graph_;
  Graph result_{};
  Vector<NodeId> moved_;      // by the old id
  Vector<NodeId> gathers_{};  // by the old id, in their order
  Vector<NodeId> started_{};  // the nodes that start them
  std::size_t waited_ = 0;
};

SINTER_INLINE Graph prefetch_parameters(Graph graph) { return Prefetch(graph).run(); }

}  // namespace sinter::inline SINTER_ABI::detail::parallel
