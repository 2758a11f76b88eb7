#pragma once
// Replays the launches of a plan as CUDA Graphs, with separate graphs for each stream.

#include <cstdint>  // std::int32_t
#include <string>   // std::string

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/unique_ptr.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/config.hpp>
#include <sinter/device/cuda/submission.hpp>
#include <sinter/runtime/cuda/faults.hpp>
#include <sinter/runtime/cuda/graph/conditional_nodes.hpp>
#include <sinter/runtime/cuda/launch.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

/// For logs: the number of launches of a plan and the line of the first.
std::string describe(const schedule::Plan& plan);

}  // namespace detail

class StreamReplay;  // this and CudaCall: see stream_replay.hpp
struct CudaCall;

using StreamReplays = Vector<UniquePtr<StreamReplay>>;

/// The replays of a plan. Up to max_streams streams have graphs of their own, so that calls of
/// several threads overlap.
///
/// All launches form one graph, unless data can be at fault and state is updated in place: then the
/// launches that update it form a second graph, and the host checks for faults before it launches
/// that graph.
class CudaReplay {
 public:
  static constexpr std::size_t max_streams = 8;

  /// `plan`, `grids`, `calls` and `bodies` must outlive it. `calls` are the library calls that may
  /// replace kernels.
  CudaReplay(const schedule::Plan& plan, Span<const CudaGrid> grids,
             Span<const SharedPtr<const CudaLibraryCall>> calls,
             Span<const schedule::Update> updates, const CudaBodies& bodies);
  CudaReplay(const CudaReplay&) = delete;
  CudaReplay& operator=(const CudaReplay&) = delete;
  ~CudaReplay();

  /// Why a plan cannot be replayed as graphs; empty if it can.
  static std::string why_not(const schedule::Plan& plan, Span<const schedule::Update> updates,
                             const CudaBodies& bodies);

  /// Launches the graphs for the stream of `work`. False if the call has to launch one by one: too
  /// many streams have graphs, or the driver cannot create them; both are logged.
  bool run(CudaSubmission& work, const CudaCall& call);

  /// Moves all graphs out; the next call creates new ones. Not during calls.
  StreamReplays take();

 private:
  friend class StreamReplay;

  StreamReplay* on(const CudaSubmission& work, Where where);
  void note_refusal(const std::string& reason);
  const CudaLibraryCall* library_call(std::size_t launch) const;

  const schedule::Plan& plan_;
  Span<const CudaGrid> grids_;
  Span<const SharedPtr<const CudaLibraryCall>> calls_;
  CudaFaults faults_;
  const CudaBodies& bodies_;
  Vector<Vector<std::int32_t>> dependencies_;
  std::size_t second_graph_begin_;  // its first launch; the number of launches if there is none
  bool has_controls_;               // branches or loops
  Vector<std::int32_t> number_slots_;  // of each input; -1 if it is not a scalar
  std::size_t own_bytes_ = 0;
  ProcessMutex mutex_{};
  const CudaContext* context_ = nullptr;  // of refused_ and streams_
  bool refused_ = false;
  StreamReplays streams_;
};

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/cuda/execute/replay.ipp>
#endif
