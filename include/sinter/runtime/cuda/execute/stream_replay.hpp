#pragma once
// The CUDA Graphs of a plan on one stream: made once, patched and launched by each call.

#include <cstddef>  // std::byte, std::size_t
#include <cstdint>  // std::int64_t
#include <memory>   // std::unique_ptr
#include <span>     // std::span
#include <vector>   // std::vector

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

inline constexpr std::size_t number_bytes = 16;  // of each number of the host, aligned

}  // namespace detail

class CudaReplay;

/// What a program gives to a GPU in one call.
struct CudaCall {
  std::span<void* const> inputs{};   ///< Addresses, of the GPU or of the host.
  std::span<void* const> outputs{};  ///< Addresses of the GPU.
  std::span<const Storage* const>
      held{};  ///< What inputs, then outputs are; may be null for the host.
  std::span<const std::int64_t> symbols{};
  /// Of the kernels of the plan, their forms for bodies, and those of ControlKernel.
  std::span<const CudaDriver::Handle> functions{};
  Where where{};
};

/// The graphs of a plan for one stream, and the memory that their nodes name beside the arguments
/// of the call: the arena of the stream, and words of their own for faults and for numbers of the
/// host. Used by the thread that the stream belongs to.
class StreamReplay {
 public:
  StreamReplay(const CudaReplay& of, CudaStream& stream, Where where);
  StreamReplay(const StreamReplay&) = delete;
  StreamReplay& operator=(const StreamReplay&) = delete;
  ~StreamReplay();

  /// Launches the graphs: makes them in the first call, patches what is not as in the last one, and
  /// waits for data that can be at fault. DeviceError if the driver makes no graphs.
  void run(CudaWork& work, const CudaCall& call);

  const CudaStream& stream() const { return stream_; }
  bool has_graphs() const { return !graphs_.empty(); }

 private:
  using Graphs = std::vector<std::unique_ptr<CudaGraph>>;  // one, or two: see CudaReplay

  // Where the address of a buffer is an argument.
  struct Use {
    std::size_t launch = 0, argument = 0;
  };
  // A launch that a library computes.
  struct Child {
    std::size_t launch = 0;
    CudaChild calls;
    const CudaGraph* graph = nullptr;  // of the present arguments
    bool is_stale = true;              // these are not in the executable graph
    bool is_in_line = false;           // behind the others that work in the same memory
    std::size_t paid_at = 0;           // the run up to which runs make up for its captures
  };

  std::byte* own_address(std::size_t offset) const;
  std::size_t graph_of(std::size_t launch) const { return launch < cut() ? 0 : 1; }
  std::size_t cut() const;
  void make_graphs(const CudaCall& call);
  std::vector<CudaGraph::Node> nodes_before(std::size_t launch, const std::size_t* last_in_line);
  CudaGraph::Kernel kernel_of(std::size_t launch, CudaDriver::Handle function) const;
  void bind(std::size_t buffer, void* address);
  void bind_sizes(std::span<const std::int64_t> symbols);
  void bind_launch(std::size_t launch);
  void bind_input(std::size_t input, void* address);
  void bind_arguments(CudaWork& work, const CudaCall& call);
  void* on_gpu(CudaWork& work, const CudaCall& call, std::size_t input);
  void* keep_number(std::size_t input, const void* number);
  void bind_buffers();
  void take_arena(Where where);
  std::size_t arena_bytes() const;
  void upload_numbers(const CudaWork& work);
  void throw_faults(CudaWork& work) const;

  std::byte* arena_at(std::size_t offset) const;
  bool is_control(std::size_t launch) const;
  void bind_control(const CudaCall& call);

  Child* child_of(std::size_t launch);
  void set_children(const CudaCall& call);
  void place_children(CudaContext& context, Where where);
  std::size_t place_stale_children(CudaContext& context);
  bool update(Child& child, const CudaCall& call);
  void give_kernel(const Child& child, const CudaCall& call, CudaDriver::Handle stream) const;

  const CudaReplay& of_;
  CudaStream& stream_;
  Graphs graphs_{};
  std::vector<CudaGraph::Node> nodes_{};     // of each launch, in its graph
  std::vector<std::vector<Use>> uses_{};     // of each buffer
  std::vector<void*> addresses_{};           // of each buffer, in the nodes
  std::vector<std::int64_t> offsets_{};      // of each buffer of the arena
  std::vector<std::int64_t> symbols_{};      // that sizes and offsets are of
  std::vector<void*> inputs_{}, outputs_{};  // of the GPU, in the last call
  std::vector<void*> given_{};               // for inputs, in the last call
  std::vector<std::size_t> of_host_{};       // those of them that are memory of the host
  std::vector<Storage> copies_{};            // of inputs of the host, in this call
  bool bound_ = false;                       // whether symbols_ are known
  bool moved_ = true;                        // whether addresses_ may be others than in the nodes
  std::int64_t plan_bytes_ = 0;              // of the arena, without what libraries work in
  std::size_t workspace_bytes_ = 0;          // which comes behind
  Workspace workspace_ = Workspace::allowed;
  CudaArena arena_{};
  std::unique_ptr<CudaGraphControl> control_{};  // of plans with branches and loops
  std::size_t control_offset_ = 0;               // in the arena: what their bodies compute
  std::vector<Child> children_{};                // by launch
  std::size_t runs_ = 0;                         // that began so far
  Storage own_{};                                // faults, then numbers
  std::vector<std::byte> numbers_{};             // as they were given last
  bool numbers_changed_ = false;  // since they were copied, which they were not at first
};

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/cuda/execute/stream_replay.ipp>
#endif
