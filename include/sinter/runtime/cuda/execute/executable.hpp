#pragma once
// A plan whose kernels a GPU has loaded: it runs as CUDA Graphs, or launch by launch.

#include <atomic>   // std::atomic
#include <cstdint>  // std::int64_t
#include <memory>   // std::shared_ptr
#include <span>     // std::span
#include <vector>   // std::vector

#include <sinter/base/process_mutex.hpp>
#include <sinter/compile/unit/module.hpp>
#include <sinter/config.hpp>
#include <sinter/device/cuda/submission.hpp>
#include <sinter/runtime/cuda/execute/replay.hpp>
#include <sinter/runtime/cuda/execute/stream_replay.hpp>
#include <sinter/runtime/cuda/faults.hpp>
#include <sinter/runtime/cuda/kernel_timer.hpp>
#include <sinter/runtime/cuda/launch.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// Whether a plan is replayed as CUDA Graphs, where it can be; `updates` are those that it was made
/// for.
struct CudaReplayOptions {
  bool graphs = false;
  std::span<const schedule::Update> updates{};
  CudaBodies bodies{};  ///< Of a plan with branches and loops.
};

struct CudaLibraryCall;
/// What a library may do in the place of each kernel; null for none.
using CudaLibraryCalls = std::vector<std::shared_ptr<const CudaLibraryCall>>;

class CudaExecutable {
 public:
  /// `module` has the kernels of `plan`, in their order, and `grids` how each is launched.
  CudaExecutable(schedule::Plan plan, std::shared_ptr<const compiler::Module> module,
                 std::vector<CudaGrid> grids, Device device, CudaLibraryCalls calls = {},
                 const CudaReplayOptions& replay = {});

  /// Gives the launches to the driver, in order with what else uses the memory. `inputs` are
  /// addresses of the GPU, or of the host, which may change them afterwards; `outputs` are of the
  /// GPU. `held` are the storages of the inputs, then of the outputs, which live during the call;
  /// null for memory of the host that is none. Without them they are looked for. The host waits
  /// only for data that can be at fault, and for branches and loops.
  ///
  /// Throws what Executable::run() throws; what the plan updates is then untouched.
  void run(std::span<void* const> inputs, std::span<void* const> outputs,
           std::span<const std::int64_t> symbols, Where where = {},
           std::span<const Storage* const> held = {}) const;

  /// Hands over its CUDA Graphs: the next call makes new ones. Not during calls.
  StreamReplays take_graphs() const {
    return replay_ == nullptr ? StreamReplays() : replay_->take();
  }

  /// Times the kernels of calls that launch one by one; null ends it. Not during calls.
  void measure(CudaStopwatch* watch);

  const schedule::Plan& plan() const { return plan_; }
  const std::shared_ptr<const compiler::Module>& module() const { return module_; }

 private:
  struct Call;
  using Functions = std::vector<CudaDriver::Handle>;

  void choose_replay(std::span<const schedule::Update> updates);
  void load(CudaContext& context, Where where) const;
  void begin_outputs(CudaWork& work, const CudaCall& call) const;
  Storage take_arena(Call& call) const;
  void run_plan(Call& call) const;
  void run_launch(Call& call, std::size_t step) const;
  void run_kernel(Call& call, const schedule::Launch& launch, void* fault) const;
  bool run_library(const Call& call, const schedule::Launch& launch,
                   std::span<void* const> pointers) const;
  void run_control(Call& call, const schedule::Launch& launch) const;
  void run_while(Call& call, const schedule::Control& control, void* const* pointers) const;
  void run_scan(Call& call, const schedule::Control& control, void* const* pointers) const;
  void run_body(const Call& call, std::int32_t body, std::span<void* const> inputs,
                std::span<void* const> outputs) const;
  bool writes_output(const schedule::Launch& launch) const;
  void throw_faults(Call& call) const;

  schedule::Plan plan_;
  std::shared_ptr<const compiler::Module> module_;
  std::vector<CudaGrid> grids_;
  Device device_;
  std::vector<std::unique_ptr<CudaExecutable>> bodies_;  // of the plan
  CudaFaults faults_;
  CudaLibraryCalls calls_;
  CudaBodies branches_;                 // beside the bodies, in graphs
  std::unique_ptr<CudaReplay> replay_;  // null for a list of launches
  CudaStopwatch* watch_ = nullptr;
  mutable ProcessMutex mutex_;
  mutable std::atomic<const CudaContext*> loaded_in_{nullptr};  // where functions_ are from
  mutable Functions functions_;                                 // of each kernel
};

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/cuda/execute/executable.ipp>
#endif
