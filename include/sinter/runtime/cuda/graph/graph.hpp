#pragma once
// A CUDA Graph of kernels, ordered only by their dependencies.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::uint64_t

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/config.hpp>
#include <sinter/device/cuda/submission.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// A CUDA Graph, created once and launched many times. Arguments and grids may change from launch
/// to launch; a launch patches only the nodes that changed. Used by one thread at a time. Closing
/// the GPU destroys it; it must not be launched after that.
class CudaGraph {
 public:
  using Node = std::size_t;

  /// A kernel node. All arguments have 8 bytes: addresses and sizes.
  struct Kernel {
    CudaDriver::Handle function = nullptr;
    unsigned blocks = 1, threads = 1, shared_bytes = 0;
    Vector<std::uint64_t> arguments{};
    bool has_table = false;  ///< The kernel takes `arguments` as one argument, a table.
  };

  explicit CudaGraph(CudaContext& context, Where where = Where::current());
  /// Takes ownership of a captured graph, to be a child of other graphs.
  CudaGraph(CudaContext& context, CudaDriver::Handle captured);
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;
  ~CudaGraph();

  /// Adds a node that writes `words` zeros of 4 bytes; it waits for no other node.
  Node add_zeros(CudaDriver::Address to, std::size_t words, Where where = Where::current());
  /// Adds a kernel node that runs after the nodes in `after`.
  Node add(Kernel kernel, Span<const Node> after, Where where = Where::current());
  /// Adds a node that runs a copy of `child` after the nodes in `after`.
  Node add_child(const CudaGraph& child, Span<const Node> after, Where where = Where::current());
  /// Instantiates the graph; no node may be added after this.
  void instantiate(Where where = Where::current());

  void set_argument(Node node, std::size_t argument, std::uint64_t value);
  void set_grid(Node node, unsigned blocks, unsigned shared_bytes);
  /// Replaces the child graph of `node` from the next launch on. False if the driver refuses,
  /// because the two differ in more than their arguments: then the graph has to be created again.
  [[nodiscard]] bool set_child(Node node, const CudaGraph& child) const;
  /// Patches the changed nodes and launches the graph on the stream of `work`. A node whose patch
  /// fails is patched again before the next launch.
  void launch(const CudaSubmission& work, Where where = Where::current());

  // For nodes that CudaGraphControl adds; they never change.
  CudaDriver::Handle handle() const { return graph_; }
  Vector<CudaDriver::Handle> handles(Span<const Node> nodes) const;
  Node adopt(CudaDriver::Handle node);

  std::size_t nodes() const { return nodes_.size(); }

 private:
  friend struct CudaGraphs;
  struct NodeState {
    CudaDriver::Handle handle = nullptr;
    Kernel kernel{};  // without a function if the node writes zeros or runs a child graph
    bool changed = false;
  };

  void register_graph();
  void note_change(Node node);
  void patch(NodeState& node, Where where);
  void destroy() noexcept;

  CudaContext& context_;
  CudaDriver::Handle graph_ = nullptr, executable_ = nullptr;
  Vector<NodeState> nodes_{};
  Vector<Node> changed_{};
};

/// The graphs of one GPU, guarded by cuda_mutex(), and the capture stream, guarded by `capturing`.
struct CudaGraphs final : CudaContextState {
  void close(const CudaDriver& driver) noexcept override;

  Vector<CudaGraph*> all{};
  ProcessMutex capturing{};
  CudaDriver::Handle capture_stream = nullptr;
};

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/cuda/graph/graph.ipp>
#endif
