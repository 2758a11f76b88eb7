#pragma once
// The CUDA Graphs of a plan on one stream: created once, then patched and launched by each call.

#include <cstddef>  // std::byte, std::size_t
#include <cstdint>  // std::int64_t
#include <vector>   // std::vector

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/unique_ptr.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/device/cuda/submission.hpp>
#include <sinter/runtime/cuda/execute/arena.hpp>
#include <sinter/runtime/cuda/faults.hpp>
#include <sinter/runtime/cuda/graph/conditional_nodes.hpp>
#include <sinter/runtime/cuda/graph/graph.hpp>
#include <sinter/runtime/cuda/graph/library_node.hpp>
#include <sinter/runtime/cuda/launch.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

inline constexpr std::size_t number_bytes = 16;  // of the copy of a host scalar, aligned

}  // namespace detail

class CudaReplay;

/// The arguments of one call of a plan on a GPU.
struct CudaCall {
  Span<void* const> inputs{};   ///< GPU or host addresses.
  Span<void* const> outputs{};  ///< GPU addresses.
  Span<const Storage* const>
      held{};  ///< The storages of inputs, then of outputs; may be null for host memory.
  Span<const std::int64_t> symbols{};
  /// The kernels of the plan, their variants for bodies, then the kernels of ControlKernel.
  Span<const CudaDriver::Handle> functions{};
  Where where{};
};

/// The graphs of a plan on one stream, and the memory that their nodes refer to besides the
/// arguments of the call: the arena of the stream, fault words, and copies of host scalars. Used
/// only by the thread that owns the stream.
class StreamReplay {
 public:
  StreamReplay(const CudaReplay& of, CudaStream& stream, Where where);
  StreamReplay(const StreamReplay&) = delete;
  StreamReplay& operator=(const StreamReplay&) = delete;
  ~StreamReplay();

  /// Launches the graphs. Creates them in the first call, patches what changed since the last call,
  /// and waits for fault words of launches that can fault. DeviceError if the driver cannot create
  /// graphs.
  void run(CudaSubmission& work, const CudaCall& call);

  const CudaStream& stream() const { return stream_; }
  bool has_graphs() const { return !graphs_.empty(); }

 private:
  using Graphs = Vector<UniquePtr<CudaGraph>>;  // one, or two: see CudaReplay

  // An argument that is the address of a buffer.
  struct Use {
    std::size_t launch = 0, argument = 0;
  };
  // A launch that a library call replaces: a child graph node.
  struct LibraryNode {
    std::size_t launch = 0;
    CudaLibraryNode calls;
    const CudaGraph* graph = nullptr;  // captured for the current arguments
    bool is_stale = true;              // the executable graph has other arguments
    bool is_serialized = false;        // runs after the other users of the workspace
    std::size_t amortized_at = 0;      // the run at which its captures are paid off
  };

  std::byte* own_address(std::size_t offset) const;
  std::size_t graph_of(std::size_t launch) const { return launch < second_graph_begin() ? 0 : 1; }
  std::size_t second_graph_begin() const;
  void make_graphs(const CudaCall& call);
  Vector<CudaGraph::Node> nodes_before(std::size_t launch, const std::size_t* last_serialized);
  CudaGraph::Kernel kernel_of(std::size_t launch, CudaDriver::Handle function) const;
  void bind(std::size_t buffer, void* address);
  void bind_sizes(Span<const std::int64_t> symbols);
  void bind_launch(std::size_t launch);
  void bind_input(std::size_t input, void* address);
  void bind_arguments(CudaSubmission& work, const CudaCall& call);
  void* on_gpu(CudaSubmission& work, const CudaCall& call, std::size_t input);
  void* keep_number(std::size_t input, const void* number);
  void bind_buffers();
  void take_arena(Where where);
  std::size_t arena_bytes() const;
  void upload_numbers(const CudaSubmission& work);
  void throw_faults(CudaSubmission& work, Where where) const;

  std::byte* arena_at(std::size_t offset) const;
  bool is_control(std::size_t launch) const;
  void bind_control(const CudaCall& call);

  LibraryNode* library_node_of(std::size_t launch);
  void update_library_nodes(const CudaCall& call);
  void place_library_nodes(CudaContext& context, Where where);
  std::size_t place_stale_nodes(CudaContext& context);
  bool update(LibraryNode& child, const CudaCall& call);
  void enqueue_kernel(const LibraryNode& child, const CudaCall& call,
                      CudaDriver::Handle stream) const;

  const CudaReplay& of_;
  CudaStream& stream_;
  Graphs graphs_{};
  Vector<CudaGraph::Node> nodes_{};          // of each launch, in its graph
  Vector<Vector<Use>> uses_{};               // of each buffer
  Vector<void*> addresses_{};                // of each buffer, as in the nodes
  std::vector<std::int64_t> offsets_{};      // of each buffer of the arena
  std::vector<std::int64_t> symbols_{};      // the sizes that are bound
  Vector<void*> inputs_{}, outputs_{};       // GPU addresses in the last call
  Vector<void*> given_{};                    // inputs as passed to the last call
  Vector<std::size_t> host_inputs_{};        // indices of the inputs in host memory
  Vector<Storage> copies_{};                 // GPU copies of host inputs, in this call
  bool bound_ = false;                       // whether symbols_ is valid
  bool addresses_changed_ = true;    // whether nodes may have other addresses than addresses_
  std::int64_t plan_bytes_ = 0;      // of the arena, without the library workspace
  std::size_t workspace_bytes_ = 0;  // of the library workspace, which follows
  Workspace workspace_ = Workspace::allowed;
  CudaArena arena_{};
  UniquePtr<CudaGraphControl> control_{};        // for plans with branches and loops
  std::size_t control_offset_ = 0;               // arena offset of the intermediates of bodies
  Vector<LibraryNode> library_nodes_{};          // by launch
  std::size_t runs_ = 0;                         // calls of run() so far
  Storage own_{};                                // fault words, then host scalars
  Vector<std::byte> numbers_{};                  // host scalars of the last call
  bool numbers_changed_ = false;                 // since the last upload
};

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/cuda/execute/stream_replay.ipp>
#endif
