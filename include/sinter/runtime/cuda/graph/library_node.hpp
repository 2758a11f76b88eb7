#pragma once
// A call of a library as a part of a graph.

#include <cstddef>     // std::size_t
#include <cstdint>     // std::int64_t
#include <functional>  // std::function
#include <memory>      // std::unique_ptr
#include <optional>    // std::optional
#include <vector>      // std::vector

#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/runtime/cuda/graph/graph.hpp>
#include <sinter/runtime/cuda/library/call.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// The graphs that a stream captured of a library call, each for its addresses and sizes. Those
/// that were used last are kept, since inputs and results take turns between a few places.
///
/// Where they never come back, each call is captured again. That costs the host what the call of
/// the library costs without a graph and a few calls of the driver, while a copy of the operands
/// to a place that stays would cost the GPU time and memory at each call. So inputs are not copied.
class CudaChild {
 public:
  static constexpr std::size_t most_kept = 8;

  /// `call` outlives it.
  explicit CudaChild(const CudaLibraryCall& call) : call_(&call) {}

  /// The arguments from now on, as the kernel has them in the place of which the library is called;
  /// the library is asked about those that are new.
  void place(CudaContext& context, std::span<void* const> buffers,
             std::span<const std::int64_t> symbols, Workspace workspace);
  /// What the call wants to work in with these.
  std::size_t workspace_bytes() const { return run_ ? run_->workspace_bytes : 0; }
  /// The call with these, captured if it is not known. `kernel` gives the generated kernel to a
  /// stream, which does what the library would not.
  const CudaGraph& graph(CudaContext& context, void* workspace,
                         const std::function<void(CudaDriver::Handle)>& kernel, Where where);
  /// How many were captured so far.
  std::size_t captures() const { return captures_; }
  /// Whether the host is never behind, though each call be captured.
  bool hides_captures() const { return call_->hides_launches(); }

 private:
  struct Known {
    std::vector<void*> buffers{};
    std::vector<std::int64_t> symbols{};
    std::optional<CudaLibraryRun> run{};  // none: the kernel runs
    void* workspace = nullptr;
    std::unique_ptr<CudaGraph> graph{};
  };

  const CudaLibraryCall* call_;
  std::vector<void*> buffers_{};
  std::vector<std::int64_t> symbols_{};
  std::optional<CudaLibraryRun> run_{};
  std::vector<std::unique_ptr<Known>> known_{};  // what was used last comes first
  std::size_t captures_ = 0;
};

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/cuda/graph/library_node.ipp>
#endif
