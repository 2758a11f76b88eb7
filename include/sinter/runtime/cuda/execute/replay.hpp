#pragma once
// How the launches of a plan are replayed: as CUDA Graphs, on each stream its own.

#include <cstdint>  // std::int32_t
#include <memory>   // std::shared_ptr, std::unique_ptr
#include <span>     // std::span
#include <string>   // std::string
#include <vector>   // std::vector

#include <sinter/base/process_mutex.hpp>
#include <sinter/config.hpp>
#include <sinter/device/cuda/submission.hpp>
#include <sinter/runtime/cuda/faults.hpp>
#include <sinter/runtime/cuda/graph/conditional_nodes.hpp>
#include <sinter/runtime/cuda/launch.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

/// For people: how many launches a plan has, and where they come from.
std::string described(const schedule::Plan& plan);

}  // namespace detail

class StreamReplay;  // see stream_replay.hpp, as for the next
struct CudaCall;

using StreamReplays = std::vector<std::unique_ptr<StreamReplay>>;

/// What replays of a plan share, whatever their stream. A call finds the graphs of its stream, so
/// that calls of several threads overlap; each stream has graphs of its own, up to a limit.
///
/// All launches are one graph, but where data can be at fault and state is updated in place: then
/// those that update it are a second one, and the host looks for faults before it launches that.
class CudaReplay {
 public:
  static constexpr std::size_t most_streams = 8;

  /// `plan`, `grids`, `calls` and `bodies` outlive it; `calls` are what a library may do in the
  /// place of each kernel.
  CudaReplay(const schedule::Plan& plan, std::span<const CudaGrid> grids,
             std::span<const std::shared_ptr<const CudaLibraryCall>> calls,
             std::span<const schedule::Update> updates, const CudaBodies& bodies);
  CudaReplay(const CudaReplay&) = delete;
  CudaReplay& operator=(const CudaReplay&) = delete;
  ~CudaReplay();

  /// Why a plan keeps to a list of launches; empty if it does not.
  static std::string why_not(const schedule::Plan& plan, std::span<const schedule::Update> updates,
                             const CudaBodies& bodies);

  /// Launches the graphs for the stream of `work`. False if the call had better launch one by one:
  /// there are enough graphs, or the driver makes none, which is logged.
  bool run(CudaWork& work, const CudaCall& call);

  /// Hands over all graphs: the next call makes new ones. Not during calls.
  StreamReplays take();

 private:
  friend class StreamReplay;

  StreamReplay* on(const CudaWork& work, Where where);
  void note_refusal(const std::string& reason);
  const CudaLibraryCall* library_call(std::size_t launch) const;

  const schedule::Plan& plan_;
  std::span<const CudaGrid> grids_;
  std::span<const std::shared_ptr<const CudaLibraryCall>> calls_;
  CudaFaults faults_;
  const CudaBodies& bodies_;
  std::vector<std::vector<std::int32_t>> order_;
  std::size_t cut_;                         // the first launch of the second graph
  std::vector<std::int32_t> number_slots_;  // of each input; -1 if it is no number
  std::size_t own_bytes_ = 0;
  ProcessMutex mutex_{};
  const CudaContext* context_ = nullptr;  // what the rest is of
  bool refused_ = false;
  StreamReplays streams_;
};

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/cuda/execute/replay.ipp>
#endif
