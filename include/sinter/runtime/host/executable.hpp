#pragma once
// The host executable: a plan with its loaded kernels, and how they run on the thread pool.

#include <atomic>   // std::atomic
#include <cstdint>  // std::int64_t
#include <vector>   // std::vector

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/unique_ptr.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/fault.hpp>
#include <sinter/compile/unit/module.hpp>
#include <sinter/config.hpp>
#include <sinter/device/host/packed_weight_cache.hpp>
#include <sinter/runtime/host/arena.hpp>
#include <sinter/runtime/host/kernel_timer.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// The generated function of a kernel: see codegen/cpp/emit_cpp.hpp.
using KernelFunction = void (*)(void* const* buffers, const long* sizes, Fault* fault, long thread,
                                long threads);

class Executable {
 public:
  /// `module` holds the function of each kernel of `plan`, in the order of the plan.
  Executable(schedule::Plan plan, SharedPtr<const compiler::Module> module);

  /// Runs the launches in order. `inputs` and `outputs` are addresses; symbols[id] is the size of
  /// the symbol with that id. Calls may overlap.
  ///
  /// Throws IndexError or ValueError at the first fault in the data; state that the plan updates
  /// in place is then unchanged. Throws ValueError, at `where`, if memory for the arena runs out.
  void run(Span<void* const> inputs, Span<void* const> outputs, Span<const std::int64_t> symbols,
           Where where = {}, Span<const Storage* const> packed_from = {}) const;

  /// The positions of the inputs whose packed panels are cached. Callers pass the storages of these
  /// inputs to run() as `packed_from`, in this order; without them nothing is cached.
  Span<const std::int32_t> packed_inputs() const { return packed_inputs_; }

  /// Replaces the module by another one for the same plan. Not during a call.
  void use(SharedPtr<const compiler::Module> module);
  /// Times each launch with `timer`; calls must not overlap meanwhile. Null ends it.
  void measure(KernelTimer* timer);

  const schedule::Plan& plan() const { return plan_; }
  const SharedPtr<const compiler::Module>& module() const { return module_; }

 private:
  // A launch, with what is known before a call.
  struct Step {
    KernelFunction function = nullptr;  // null for control flow
    std::int32_t pointers = 0;          // index of its first pointer in Call::pointers
    std::int32_t sizes = 0;             // index of its first size
    std::int32_t threads = 1;           // useful thread count, if the plan is static
    bool can_fault = false;
    std::int32_t batch = -1;  // index into batched_launches_ if it runs several kernels
  };
  // A kernel of a batched launch.
  struct BatchedKernel {
    KernelFunction function = nullptr;
    std::int32_t kernel = 0, pointers = 0, sizes = 0;
    schedule::LaunchPhase phase{};
    std::int64_t work = 0;
  };
  // A batched launch: ranges of batched_kernels_. Prologue kernels run first, on one thread. Of the
  // parallel ones, all threads share the large kernels and take chunks of small kernels. Epilogue
  // kernels run last, on one thread.
  struct BatchedLaunch {
    std::int32_t prologue = 0, parallel = 0, epilogue = 0, end = 0;  // where each range begins
    std::int32_t first_chunk = 0, end_chunk = 0;                     // range of chunks_
  };
  // The progress of the threads of a call in a batched launch.
  struct LaunchProgress {
    std::atomic<int> prologue_done{0}, next_chunk{0}, finished_threads{0};
  };
  // A pointer of a launch: its index in Call::pointers, and its input, output or arena buffer.
  struct Slot {
    std::int32_t pointer = 0;
    std::int32_t source = 0;
  };
  // A pointer to the packed panels of an input.
  struct PackedInputSlot {
    std::int32_t pointer = 0;
    schedule::PackedInput packed{};
  };
  struct Call;
  class CallScope;

  void prepare();
  void add_slots(const schedule::Launch& launch);
  void add_batched_kernels(Step& step, const schedule::Launch& launch);
  void add_batched_launch(Step& step, std::int32_t begin);
  void initialize_updated_outputs(Span<void* const> inputs, Span<void* const> outputs,
                                  Span<const std::int64_t> symbols) const;
  void bind_buffers(Call& call, Span<void* const> inputs, Span<void* const> outputs,
                    std::byte* arena) const;
  void bind_sizes(Call& call) const;
  void bind_packed_inputs(Call& call, Span<const Storage* const> packed_from) const;
  void run_steps(Call& call) const;
  void abandon_started() const;
  void run_kernels(Call& call, std::size_t first, std::size_t last) const;
  template <auto launch>
  void run_kernels(Call& call, std::size_t first, std::size_t last) const;
  template <auto launch>
  void run_launches_separately(Call& call, std::size_t first, std::size_t last) const;
  void run_watched(Call& call, std::size_t first, std::size_t last) const;
  template <auto launch>
  void run_step(Call& call, std::size_t step) const;
  template <auto launch>
  void run_launches_in_one_region(Call& call, std::size_t first, std::size_t last) const;
  void run_control(const Call& call, std::size_t step) const;
  void run_while(const Call& call, const schedule::Control& control, void* const* pointers) const;
  void run_scan(const Call& call, const schedule::Control& control, void* const* pointers) const;
  std::int32_t threads_of(const Call& call, std::size_t step) const;
  void launch(Call& call, std::size_t step, long thread, long threads) const;
  void launch_batched(Call& call, std::int32_t number, long thread, long threads) const;
  void run_batched_kernels(Call& call, std::int32_t first, std::int32_t last, long thread,
                           long threads) const;
  void reset_progress(Call& call) const;
  void register_runs(Call& call, std::size_t first, std::size_t last) const;
  void launch_profiled(Call& call, std::size_t step, long thread, long threads) const;
  void launch_timed(Call& call, std::size_t step, long thread, long threads) const;

  schedule::Plan plan_;
  SharedPtr<const compiler::Module> module_;
  Vector<Step> steps_;
  Vector<std::size_t> control_steps_;  // indices of the steps that run bodies
  Vector<UniquePtr<Executable>> bodies_;
  Vector<BatchedLaunch> batched_launches_;
  Vector<BatchedKernel> batched_kernels_;       // of all batched launches
  Vector<std::int32_t> chunks_;                 // the first batched kernel of each chunk
  Vector<Slot> input_slots_, output_slots_, arena_slots_;
  Vector<PackedInputSlot> packed_input_slots_;
  Vector<std::int32_t> packed_inputs_;
  std::vector<std::int64_t> offsets_;  // of each buffer, if the plan is static
  std::size_t pointers_ = 0;
  std::vector<long> sizes_;  // of all launches, if the plan is static
  std::int64_t arena_bytes_ = -1;
  bool is_static_ = true;  // no size or offset depends on a symbol
  bool is_long_ = false;   // if the plan is static: some launch justifies waking all threads
  KernelTimer* timer_ = nullptr;
  mutable ArenaPool arenas_;
};

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/host/executable.ipp>
#endif
