#pragma once
// The CUDA executable: a plan with its loaded kernels, replayed as CUDA Graphs or launch by launch.

#include <atomic>   // std::atomic
#include <cstdint>  // std::int64_t

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/unique_ptr.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/compile/unit/module.hpp>
#include <sinter/config.hpp>
#include <sinter/device/cuda/submission.hpp>
#include <sinter/runtime/cuda/execute/replay.hpp>
#include <sinter/runtime/cuda/execute/stream_replay.hpp>
#include <sinter/runtime/cuda/faults.hpp>
#include <sinter/runtime/cuda/kernel_timer.hpp>
#include <sinter/runtime/cuda/launch.hpp>
#include <sinter/runtime/host/gpu_executable.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// Whether a plan is replayed as CUDA Graphs, if it can be. `updates` are the in-place updates that
/// the plan was made for.
struct CudaReplayOptions {
  bool graphs = false;
  Span<const schedule::Update> updates{};
  CudaBodies bodies{};  ///< For plans with branches and loops.
};

struct CudaLibraryCall;
/// The library call that may replace each kernel; null for none.
using CudaLibraryCalls = Vector<SharedPtr<const CudaLibraryCall>>;

class CudaExecutable final : public GpuExecutable {
 public:
  /// `module` holds the kernels of `plan`, in order, and `grids` their launch geometry.
  CudaExecutable(schedule::Plan plan, SharedPtr<const compiler::Module> module,
                 Vector<CudaGrid> grids, Device device, CudaLibraryCalls calls = {},
                 const CudaReplayOptions& replay = {});

  void run(Span<void* const> inputs, Span<void* const> outputs, Span<const std::int64_t> symbols,
           Where where = {}, Span<const Storage* const> held = {}) const override;
  /// Its CUDA Graphs.
  GpuReplays take_replays() const override;
  std::size_t kept_bytes() const override;

  /// Times the kernels of calls that launch one by one. Null ends it. Not during calls.
  void measure(CudaKernelTimer* timer);

  const schedule::Plan& plan() const override { return plan_; }
  const SharedPtr<const compiler::Module>& module() const override { return module_; }

 private:
  struct Call;
  using Functions = Vector<CudaDriver::Handle>;

  void choose_replay(Span<const schedule::Update> updates);
  void load(CudaContext& context, Where where) const;
  void initialize_updated_outputs(CudaSubmission& work, const CudaCall& call) const;
  Storage take_arena(Call& call) const;
  void run_plan(Call& call) const;
  void run_launch(Call& call, std::size_t step) const;
  void run_kernel(Call& call, const schedule::Launch& launch, void* fault) const;
  void launch_with(const Call& call, const schedule::Launch& launch, const Vector<void*>& pointers,
                   void* fault) const;
  void run_guarded(const Call& call, const schedule::Launch& launch,
                   const Vector<void*>& pointers) const;
  bool run_library(const Call& call, const schedule::Launch& launch,
                   Span<void* const> pointers) const;
  void prepare(Span<const std::int64_t> symbols) const;
  void enqueue(const Call& call, const schedule::Launch& launch, Span<void* const> pointers) const;
  void run_control(Call& call, const schedule::Launch& launch) const;
  void run_while(Call& call, const schedule::Control& control, void* const* pointers) const;
  void run_scan(Call& call, const schedule::Control& control, void* const* pointers) const;
  void run_body(const Call& call, std::int32_t body, Span<void* const> inputs,
                Span<void* const> outputs) const;
  bool writes_output(const schedule::Launch& launch) const;
  void throw_faults(Call& call) const;

  schedule::Plan plan_;
  SharedPtr<const compiler::Module> module_;
  Vector<CudaGrid> grids_;
  Device device_;
  Vector<UniquePtr<CudaExecutable>> bodies_;
  CudaFaults faults_;
  CudaLibraryCalls calls_;
  CudaBodies graph_bodies_;             // kernels of bodies in conditional graph nodes
  UniquePtr<CudaReplay> replay_;        // null: launched one by one
  CudaKernelTimer* timer_ = nullptr;
  mutable ProcessMutex mutex_;
  mutable std::atomic<const CudaContext*> loaded_in_{nullptr};  // the context of functions_
  mutable Functions functions_;                                 // of each kernel
  bool enqueues_ = false;  // whether custom operations enqueue the work of a library
  mutable Vector<Vector<std::int64_t>> prepared_{};  // the sizes for which they are prepared
};

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/cuda/execute/executable.ipp>
#endif
