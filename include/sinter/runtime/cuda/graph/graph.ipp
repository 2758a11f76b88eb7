#pragma once

#include <mutex>    // std::lock_guard
#include <utility>  // std::exchange

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/runtime/cuda/graph/graph.hpp>
#include <sinter/runtime/cuda/launch.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

// The driver's parameters of a kernel; `pointers` point to its arguments, which the driver copies.
SINTER_INLINE CudaKernelNode node_of(CudaGraph::Kernel& kernel, Vector<void*>& pointers) {
  pointers = pointers_to(kernel.arguments, kernel.has_table);
  return {.function = kernel.function,
          .grid_x = kernel.blocks,
          .block_x = kernel.threads,
          .shared_bytes = kernel.shared_bytes,
          .arguments = pointers.data()};
}

}  // namespace detail

SINTER_INLINE CudaGraph::CudaGraph(CudaContext& context, Where where) : context_(context) {
  context.check(context.driver().create_graph(&graph_, 0), "cuGraphCreate", where);
  register_graph();
}

SINTER_INLINE CudaGraph::CudaGraph(CudaContext& context, CudaDriver::Handle captured)
    : context_(context), graph_(captured) {
  register_graph();
}

SINTER_INLINE void CudaGraph::register_graph() {
  CudaGraphs& graphs = context_.state<CudaGraphs>();
  const std::lock_guard lock(cuda_mutex());
  graphs.all.push_back(this);
}

SINTER_INLINE CudaGraph::~CudaGraph() {
  {
    const std::lock_guard lock(cuda_mutex());
    Vector<CudaGraph*>& all = context_.state<CudaGraphs>().all;
    const auto known = find(all, this);
    if (known == all.end()) return;  // destroyed when the GPU was closed
    all.erase(known);
  }
  context_.driver().set_context(context_.handle());
  destroy();
}

// Launches in flight complete: the driver waits for them.
SINTER_INLINE void CudaGraph::destroy() noexcept {
  const CudaDriver& driver = context_.driver();
  if (executable_ != nullptr) driver.destroy_executable(std::exchange(executable_, nullptr));
  if (graph_ != nullptr) driver.destroy_graph(std::exchange(graph_, nullptr));
}

SINTER_INLINE void CudaGraphs::close(const CudaDriver& driver) noexcept {
  for (CudaGraph* const graph : all) graph->destroy();
  all.clear();
  if (capture_stream != nullptr) driver.destroy_stream(std::exchange(capture_stream, nullptr));
}

SINTER_INLINE CudaGraph::Node CudaGraph::add_zeros(CudaDriver::Address to, std::size_t words,
                                                   Where where) {
  const CudaSetNode parameters{.to = to, .value = 0, .element_bytes = 4, .width = words};
  NodeState node;
  context_.check(context_.driver().add_set_node(&node.handle, graph_, nullptr, 0, &parameters,
                                                context_.handle()),
                 "cuGraphAddMemsetNode", where);
  nodes_.push_back(std::move(node));
  return nodes_.size() - 1;
}

SINTER_INLINE CudaGraph::Node CudaGraph::add(Kernel kernel, Span<const Node> after, Where where) {
  Vector<CudaDriver::Handle> before;
  for (const Node one : after) before.push_back(nodes_[one].handle);
  allow_shared_bytes(context_, kernel.function, kernel.shared_bytes, where);
  NodeState node{.kernel = std::move(kernel)};
  Vector<void*> pointers;
  const CudaKernelNode parameters = detail::node_of(node.kernel, pointers);
  context_.check(context_.driver().add_kernel_node(&node.handle, graph_, before.data(),
                                                   before.size(), &parameters),
                 "cuGraphAddKernelNode", where);
  nodes_.push_back(std::move(node));
  return nodes_.size() - 1;
}

SINTER_INLINE CudaGraph::Node CudaGraph::add_child(const CudaGraph& child, Span<const Node> after,
                                                   Where where) {
  Vector<CudaDriver::Handle> before;
  for (const Node one : after) before.push_back(nodes_[one].handle);
  NodeState node;
  context_.check(context_.driver().add_child_node(&node.handle, graph_, before.data(),
                                                  before.size(), child.graph_),
                 "cuGraphAddChildGraphNode", where);
  nodes_.push_back(std::move(node));
  return nodes_.size() - 1;
}

SINTER_INLINE bool CudaGraph::set_child(Node node, const CudaGraph& child) const {
  return context_.driver().set_child_node(executable_, nodes_[node].handle, child.graph_) == 0;
}

SINTER_INLINE Vector<CudaDriver::Handle> CudaGraph::handles(Span<const Node> nodes) const {
  Vector<CudaDriver::Handle> result;
  for (const Node node : nodes) result.push_back(nodes_[node].handle);
  return result;
}

SINTER_INLINE CudaGraph::Node CudaGraph::adopt(CudaDriver::Handle node) {
  nodes_.push_back({.handle = node});
  return nodes_.size() - 1;
}

SINTER_INLINE void CudaGraph::instantiate(Where where) {
  context_.check(context_.driver().instantiate_graph(&executable_, graph_, 0), "cuGraphInstantiate",
                 where);
}

SINTER_INLINE void CudaGraph::note_change(Node node) {
  if (std::exchange(nodes_[node].changed, true)) return;
  changed_.push_back(node);
}

SINTER_INLINE void CudaGraph::set_argument(Node node, std::size_t argument, std::uint64_t value) {
  if (std::exchange(nodes_[node].kernel.arguments[argument], value) != value) note_change(node);
}

SINTER_INLINE void CudaGraph::set_grid(Node node, unsigned blocks, unsigned shared_bytes) {
  Kernel& kernel = nodes_[node].kernel;
  if (kernel.blocks == blocks && kernel.shared_bytes == shared_bytes) return;
  kernel.blocks = blocks, kernel.shared_bytes = shared_bytes;
  note_change(node);
}

SINTER_INLINE void CudaGraph::patch(NodeState& node, Where where) {
  allow_shared_bytes(context_, node.kernel.function, node.kernel.shared_bytes, where);
  Vector<void*> pointers;
  const CudaKernelNode parameters = detail::node_of(node.kernel, pointers);
  context_.check(context_.driver().set_kernel_node(executable_, node.handle, &parameters),
                 "cuGraphExecKernelNodeSetParams", where);
}

SINTER_INLINE void CudaGraph::launch(const CudaSubmission& work, Where where) {
  while (!changed_.empty()) {
    patch(nodes_[changed_.back()], where);
    nodes_[changed_.back()].changed = false;
    changed_.pop_back();
  }
  context_.check(context_.driver().launch_graph(executable_, work.stream().handle), "cuGraphLaunch",
                 where);
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
