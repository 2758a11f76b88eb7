#pragma once
// A library call as a child graph node, with a cache of its captures.

#include <cstddef>     // std::size_t
#include <cstdint>     // std::int64_t
#include <functional>  // std::function
#include <vector>      // std::vector

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/unique_ptr.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/runtime/cuda/graph/graph.hpp>
#include <sinter/runtime/cuda/library/call.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// A library call and its captured graphs, one for each combination of addresses and sizes. The
/// most recently used ones are cached, because inputs and results alternate between a few
/// addresses.
///
/// Addresses that never repeat need a capture in each call. A capture costs the host one library
/// call and a few driver calls. Copying operands to fixed addresses instead would cost the GPU time
/// and memory in each call, so inputs are not copied.
class CudaLibraryNode {
 public:
  static constexpr std::size_t max_cached = 8;

  /// `call` must outlive it.
  explicit CudaLibraryNode(const CudaLibraryCall& call) : call_(&call) {}
  /// A custom operation that enqueues its work, on these operands and results.
  explicit CudaLibraryNode(const schedule::Control& control) : control_(&control) {}

  /// Sets the arguments: those of the kernel that the library call replaces. Asks the library for
  /// an algorithm if they are not cached.
  void bind(CudaContext& context, Span<void* const> buffers, Span<const std::int64_t> symbols,
            Workspace workspace);
  /// The workspace of the call with these arguments.
  std::size_t workspace_bytes() const { return run_ ? run_->workspace_bytes : 0; }
  /// The graph of the call with these arguments, captured if it is not cached. If the library
  /// refuses, `kernel` is captured instead, which enqueues the generated kernel, if there is one.
  const CudaGraph& graph(CudaContext& context, void* workspace,
                         const std::function<void(CudaDriver::Handle)>& kernel, Where where);
  /// The number of captures so far.
  std::size_t captures() const { return captures_; }
  /// Whether the run time hides a capture in each call.
  bool hides_captures() const { return call_ == nullptr || call_->hides_launches(); }

 private:
  struct Capture {
    Vector<void*> buffers{};
    std::vector<std::int64_t> symbols{};
    Optional<CudaLibraryRun> run{};  // empty: the generated kernel
    void* workspace = nullptr;
    UniquePtr<CudaGraph> graph{};
  };

  void enqueue(CudaContext& context, CudaDriver::Handle stream, Capture& capture, void* workspace,
               const std::function<void(CudaDriver::Handle)>& kernel, Where where) const;

  const CudaLibraryCall* call_ = nullptr;
  const schedule::Control* control_ = nullptr;
  Vector<void*> buffers_{};
  std::vector<std::int64_t> symbols_{};
  Optional<CudaLibraryRun> run_{};
  Vector<UniquePtr<Capture>> cache_{};  // most recently used first
  std::size_t captures_ = 0;
};

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/cuda/graph/library_node.ipp>
#endif
