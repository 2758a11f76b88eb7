#pragma once
// Branches and loops as conditional graph nodes, which the GPU runs without the host.

#include <array>    // std::array
#include <cstdint>  // std::int64_t
#include <string>   // std::string
#include <vector>   // std::vector

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/compile/unit/module.hpp>
#include <sinter/config.hpp>
#include <sinter/device/cuda/submission.hpp>
#include <sinter/device/host/storage.hpp>
#include <sinter/runtime/cuda/graph/control_words.hpp>
#include <sinter/runtime/cuda/launch.hpp>
#include <sinter/runtime/cuda/library/call.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// The kernels that graphs of a plan with branches and loops need besides the kernels of the plan.
struct CudaBodies {
  /// For each kernel of the plan, the index in its module of the variant that loads its arguments
  /// from memory; -1 for none. Empty if no body is part of a graph.
  Vector<std::int32_t> variants{};
  SharedPtr<const compiler::Module> control{};        ///< The kernels of ControlKernel, in order.
  std::string missing{};                              ///< Why `control` is null.
};

/// Which kernels need a variant for bodies: those that some body launches.
Vector<bool> kernels_in_bodies(const schedule::Plan& plan);

/// Why the branches and loops of `plan` need the host; empty if they do not. `calls` are the
/// library calls that replace kernels.
std::string why_control_needs_host(const schedule::Plan& plan,
                                   Span<const SharedPtr<const CudaLibraryCall>> calls = {},
                                   bool is_body = false);

/// The loaded functions of a plan.
struct CudaBodyFunctions {
  Span<const CudaDriver::Handle> kernels{};  ///< Of the module, variants included.
  Span<const std::int32_t> variants{};
  Span<const CudaDriver::Handle> control{};  ///< Of ControlKernel.
};

/// The branches and loops of a plan in one graph. It is created for given sizes, because nodes in
/// bodies cannot be patched; their arguments in memory are updated before a launch, see
/// ControlWords.
class CudaGraphControl {
 public:
  using Handle = CudaDriver::Handle;

  /// DeviceError if the driver lacks conditional nodes. `plan` and `grids` must outlive it.
  CudaGraphControl(const schedule::Plan& plan, Span<const CudaGrid> grids, const CudaFaults& faults,
                   const CudaBodyFunctions& functions, Span<const std::int64_t> symbols,
                   CudaStream& stream, Where where);

  /// Adds launch `launch` of the plan, a branch or loop, to `graph`; returns its last node.
  Handle add(Handle graph, std::size_t launch, Span<const Handle> after);

  /// Waits for the launches that set conditions of the graph. Must be called before the graph is
  /// destroyed.
  void await() const noexcept;

  /// Whether the nodes are valid for these sizes.
  bool fits(Span<const std::int64_t> symbols) const;
  std::int64_t arena_bytes(Span<const std::int64_t> symbols) const {
    return words_.arena_bytes(symbols);
  }
  void bind_sizes(Span<const std::int64_t> symbols) { words_.set_sizes(symbols); }
  void bind_buffer(std::size_t buffer, const void* address) {
    words_.set_buffer(buffer, reinterpret_cast<std::uint64_t>(address));
  }
  /// Uploads the words if they have changed. `arena` is memory for the bodies, `faults` the fault
  /// words of the plan.
  void upload(CudaSubmission& work, const void* arena, const void* faults);

 private:
  // A node whose grid depends on sizes.
  struct Sized {
    const schedule::Launch* launch = nullptr;
    unsigned blocks = 0, shared_bytes = 0;
  };
  using Handles = Vector<Handle>;

  Handle add_kernel(Handle graph, Handle function, unsigned blocks, unsigned threads,
                    unsigned shared_bytes, Vector<std::uint64_t> arguments,
                    Span<const Handle> after);
  Handle add_control_kernel(Handle graph, ControlKernel kernel, Vector<std::uint64_t> arguments,
                            Span<const Handle> after);
  Handle add_launch(Handle graph, const schedule::Launch& launch, Span<const long> arguments,
                    Span<const Handle> after);
  /// Adds a body; returns its nodes that no other node of the body waits for.
  Handles add_body(Handle graph, const BodyLayout& layout, Span<const Handle> after);
  Handle add_control(Handle graph, const ControlLayout& layout, Span<const Handle> after);
  Handle add_branch(Handle graph, const ControlLayout& layout, Span<const Handle> after);
  Handle add_loop(Handle graph, const ControlLayout& layout, Span<const Handle> after);
  Handles add_decision(Handle graph, const ControlLayout& layout, std::uint64_t condition,
                       Span<const Handle> after);
  Handle add_result_copy(Handle graph, const ControlLayout& layout, Handle after);
  std::uint64_t new_condition(Handle graph);
  Handle add_conditional(Handle graph, CudaConditionalNode& node, Span<const Handle> after);
  std::uint64_t words_address() const;

  const schedule::Plan& plan_;
  Span<const CudaGrid> grids_;
  CudaBodyFunctions functions_;
  std::vector<std::int64_t> symbols_;
  CudaContext& context_;
  Where where_;
  bool has_else_ = false;
  ControlWords words_;
  Storage memory_{};  // of the words
  bool is_uploaded_ = false;
  Vector<Sized> sized_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/cuda/graph/conditional_nodes.ipp>
#endif
