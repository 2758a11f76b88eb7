#pragma once
// Kernels that the driver launches all at once, in the order that they need and no other.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::uint64_t
#include <span>     // std::span
#include <vector>   // std::vector

#include <sinter/base/process_mutex.hpp>
#include <sinter/config.hpp>
#include <sinter/device/cuda/submission.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// A CUDA Graph, made once and launched often. Arguments and grids may change from launch to
/// launch: what did is patched before the next one, and nothing else is. Used by one thread at a
/// time. It goes when the GPU is closed; it must not be launched after that.
class CudaGraph {
 public:
  using Node = std::size_t;

  /// What a node runs. All arguments have 8 bytes: addresses and sizes.
  struct Kernel {
    CudaDriver::Handle function = nullptr;
    unsigned blocks = 1, threads = 1, shared_bytes = 0;
    std::vector<std::uint64_t> arguments{};
    bool has_table = false;  ///< The arguments are one, a table of words.
  };

  explicit CudaGraph(CudaContext& context, Where where = Where::current());
  /// What a stream has captured, which is its own from now on: to be a child of other graphs.
  CudaGraph(CudaContext& context, CudaDriver::Handle captured);
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;
  ~CudaGraph();

  /// A node that fills `words` of 4 bytes with zeros, before all others that name it.
  Node add_zeros(CudaDriver::Address to, std::size_t words, Where where = Where::current());
  /// A node that runs after those in `after`.
  Node add(Kernel kernel, std::span<const Node> after, Where where = Where::current());
  /// A node that runs a copy of `child` after those in `after`.
  Node add_child(const CudaGraph& child, std::span<const Node> after,
                 Where where = Where::current());
  /// No node is added from now on.
  void instantiate(Where where = Where::current());

  void set_argument(Node node, std::size_t argument, std::uint64_t value);
  void set_grid(Node node, unsigned blocks, unsigned shared_bytes);
  /// Lets `node` run a copy of another child from the next launch on. False if the driver refuses,
  /// because the two differ in more than addresses and numbers: then another graph has to be made.
  [[nodiscard]] bool set_child(Node node, const CudaGraph& child) const;
  /// Patches what has changed and launches all, on the stream of `work`. What the driver refuses to
  /// patch is patched before the next launch.
  void launch(const CudaWork& work, Where where = Where::current());

  // For nodes that somebody else adds, and that never change.
  CudaDriver::Handle handle() const { return graph_; }
  std::vector<CudaDriver::Handle> handles(std::span<const Node> nodes) const;
  Node adopt(CudaDriver::Handle node);

  std::size_t nodes() const { return nodes_.size(); }

 private:
  friend struct CudaGraphs;
  struct Known {
    CudaDriver::Handle handle = nullptr;
    Kernel kernel{};  // without a function: zeros, or a child
    bool changed = false;
  };

  void enter_list();
  void note_change(Node node);
  void patch(Known& known, Where where);
  void give_back() noexcept;

  CudaContext& context_;
  CudaDriver::Handle graph_ = nullptr, executable_ = nullptr;
  std::vector<Known> nodes_{};
  std::vector<Node> changed_{};
};

/// The graphs of one GPU, under cuda_mutex(), and the stream that captures, under its own.
struct CudaGraphs final : CudaPart {
  void close(const CudaDriver& driver) noexcept override;

  std::vector<CudaGraph*> all{};
  ProcessMutex capturing{};
  CudaDriver::Handle capture_stream = nullptr;
};

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/cuda/graph/graph.ipp>
#endif
