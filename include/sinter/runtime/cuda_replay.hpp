#pragma once
// How the launches of a plan are replayed: as CUDA Graphs.

#include <cstdint>  // std::int64_t
#include <memory>   // std::unique_ptr
#include <span>     // std::span
#include <string>   // std::string
#include <vector>   // std::vector

#include <sinter/base/process_mutex.hpp>
#include <sinter/config.hpp>
#include <sinter/device/cuda_work.hpp>
#include <sinter/runtime/cuda_arena.hpp>
#include <sinter/runtime/cuda_faults.hpp>
#include <sinter/runtime/cuda_graph.hpp>
#include <sinter/runtime/cuda_grid.hpp>
#include <sinter/schedule/plan.hpp>

namespace sinter::inline SINTER_ABI::runtime {

class CudaReplay;

/// The graphs of a plan for one stream, and the memory that their nodes name beside the arguments
/// of the call: the arena of the stream, and words of their own for faults and for numbers of the
/// host. Used by the thread that the stream belongs to.
class StreamReplay {
 public:
  /// `functions` are those of the kernels of the plan. DeviceError if the driver makes no graph of
  /// them.
  StreamReplay(const CudaReplay& of, CudaStream& stream,
               std::span<const CudaDriver::Handle> functions, Where where);

  /// The address where the graphs find input `input`, a number that the host has at `number`; null
  /// if it is no number.
  void* keep_number(std::size_t input, const void* number);
  /// Launches the graphs: patches what is not as in the last call, and waits for data that can be
  /// at fault. `inputs` and `outputs` are addresses of the GPU.
  void run(CudaWork& work, std::span<void* const> inputs, std::span<void* const> outputs,
           std::span<const std::int64_t> symbols, Where where);

  const CudaStream& stream() const { return stream_; }

 private:
  // Where the address of a buffer is an argument.
  struct Use {
    std::size_t launch = 0, argument = 0;
  };

  std::byte* own_address(std::size_t offset) const;
  CudaGraph& graph_of(std::size_t launch);
  void add_launches(std::span<const CudaDriver::Handle> functions, Where where);
  CudaGraph::Kernel kernel_of(std::size_t launch, CudaDriver::Handle function) const;
  void bind(std::size_t buffer, void* address);
  void bind_sizes(std::span<const std::int64_t> symbols);
  void bind_buffers(std::span<void* const> inputs, std::span<void* const> outputs);
  void take_arena(CudaWork& work, Where where);
  void upload_numbers(const CudaWork& work);
  void throw_faults(CudaWork& work) const;

  const CudaReplay& of_;
  CudaStream& stream_;
  std::vector<std::unique_ptr<CudaGraph>> graphs_{};  // one, or two: see CudaReplay
  std::vector<CudaGraph::Node> nodes_{};              // of each launch, in its graph
  std::vector<std::vector<Use>> uses_{};              // of each buffer
  std::vector<void*> addresses_{};                    // of each buffer, in the nodes
  std::vector<std::int64_t> offsets_{};               // of each buffer of the arena
  std::vector<std::int64_t> symbols_{};               // that sizes and offsets are of
  bool bound_ = false;                                // whether these are known
  std::int64_t arena_bytes_ = 0;
  CudaArena arena_{};
  Storage own_{};                     // faults, then numbers
  std::vector<std::byte> numbers_{};  // as they were given last
  bool numbers_changed_ = false;      // since they were copied, which they were not at first
};

/// What replays of a plan share, whatever their stream. A call finds the graphs of its stream, so
/// that calls of several threads overlap; each stream has graphs of its own, up to a limit.
///
/// All launches are one graph, but where data can be at fault and state is updated in place: then
/// those that update it are a second one, and the host looks for faults before it launches that.
class CudaReplay {
 public:
  static constexpr std::size_t most_streams = 8;

  /// `plan` and `grids` outlive it.
  CudaReplay(const schedule::Plan& plan, std::span<const CudaGrid> grids,
             std::span<const schedule::Update> updates);

  /// Why a plan keeps to a list of launches; empty if it does not.
  static std::string why_not(const schedule::Plan& plan, std::span<const schedule::Update> updates);

  /// The graphs for the stream of `work`; null if the call had better launch one by one: there are
  /// enough graphs, or the driver makes none, which is logged.
  StreamReplay* on(const CudaWork& work, std::span<const CudaDriver::Handle> functions,
                   Where where);

 private:
  friend class StreamReplay;

  void note_refusal(const std::string& reason);

  const schedule::Plan& plan_;
  std::span<const CudaGrid> grids_;
  CudaFaults faults_;
  std::vector<std::vector<std::int32_t>> order_;
  std::size_t cut_;                         // the first launch of the second graph
  std::vector<std::int32_t> number_slots_;  // of each input; -1 if it is no number
  std::size_t own_bytes_ = 0;
  ProcessMutex mutex_{};
  const CudaContext* context_ = nullptr;  // what the rest is of
  bool refused_ = false;
  std::vector<std::unique_ptr<StreamReplay>> streams_{};
};

}  // namespace sinter::inline SINTER_ABI::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/cuda_replay.ipp>
#include <sinter/runtime/cuda_replay_stream.ipp>
#endif
