#pragma once
// A plan whose kernels are loaded: what a recording becomes, and how it runs.

#include <atomic>   // std::atomic
#include <cstdint>  // std::int64_t
#include <memory>   // std::shared_ptr
#include <span>     // std::span
#include <vector>   // std::vector

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
  /// `module` has the function of each kernel of `plan`, in their order.
  Executable(schedule::Plan plan, std::shared_ptr<const compiler::Module> module);

  /// Runs the launches in their order. `inputs` and `outputs` are the first bytes of each;
  /// `symbols` the sizes by the id of the symbol. Calls may overlap.
  ///
  /// Throws IndexError or ValueError at the first fault in the data; what the plan updates is then
  /// untouched. ValueError, at `where`, if there is not enough memory for the arena.
  void run(std::span<void* const> inputs, std::span<void* const> outputs,
           std::span<const std::int64_t> symbols, Where where = {},
           std::span<const Storage* const> kept_from = {}) const;

  /// The inputs that launches keep something of; run() finds it with the storages of these inputs,
  /// `kept_from`, in this order. Without them nothing is kept.
  std::span<const std::int32_t> kept_inputs() const { return kept_inputs_; }

  /// Runs the functions of `module`, another one for the same plan, from now on. Not during a call.
  void use(std::shared_ptr<const compiler::Module> module);
  /// Tells `stopwatch` of each launch; calls must not overlap then. Null ends it.
  void measure(Stopwatch* stopwatch);

  const schedule::Plan& plan() const { return plan_; }
  const std::shared_ptr<const compiler::Module>& module() const { return module_; }

 private:
  // A launch with all that is known before the call.
  struct Step {
    KernelFunction function = nullptr;  // none for control flow
    std::int32_t pointers = 0;          // the first of its pointers in Call::pointers
    std::int32_t sizes = 0;             // the first of its sizes
    std::int32_t threads = 1;           // that pay, if the plan is static
    bool can_fault = false;
    std::int32_t joint = -1;  // of joints_: if it runs several kernels
  };
  // A kernel of a launch of several.
  struct Part {
    KernelFunction function = nullptr;
    std::int32_t kernel = 0, pointers = 0, sizes = 0;
    schedule::Turn turn{};
    std::int64_t work = 0;
  };
  // Such a launch: the parts that run before the others, those that all threads share, chunks of
  // parts for one thread each, and those that run after all of these.
  struct Joint {
    std::int32_t before = 0, together = 0, after = 0, end = 0;  // of parts_
    std::int32_t first_chunk = 0, end_chunk = 0;                // of chunks_
  };
  // How far the threads of a call are with such a launch.
  struct Meeting {
    std::atomic<int> begun{0}, chunk{0}, finished{0};
  };
  // A pointer of a launch: where it stands, and which input, output or buffer in the arena it is.
  struct Slot {
    std::int32_t pointer = 0;
    std::int32_t source = 0;
  };
  // A pointer to what an input keeps.
  struct KeptSlot {
    std::int32_t pointer = 0;
    schedule::Kept kept{};
  };
  struct Call;
  class CallScope;

  void prepare();
  void add_slots(const schedule::Launch& launch);
  void add_parts(Step& step, const schedule::Launch& launch);
  void add_joint(Step& step, std::int32_t begin);
  void begin_outputs(std::span<void* const> inputs, std::span<void* const> outputs,
                     std::span<const std::int64_t> symbols) const;
  void bind_buffers(Call& call, std::span<void* const> inputs, std::span<void* const> outputs,
                    std::byte* arena) const;
  void bind_sizes(Call& call) const;
  void bind_kept(Call& call, std::span<const Storage* const> kept_from) const;
  void run_steps(Call& call) const;
  void run_kernels(Call& call, std::size_t first, std::size_t last) const;
  template <auto launch>
  void run_kernels(Call& call, std::size_t first, std::size_t last) const;
  template <auto launch>
  void run_alone(Call& call, std::size_t first, std::size_t last) const;
  template <auto launch>
  void run_step(Call& call, std::size_t step) const;
  template <auto launch>
  void run_shared(Call& call, std::size_t first, std::size_t last) const;
  void run_control(const Call& call, std::size_t step) const;
  void run_while(const Call& call, const schedule::Control& control, void* const* pointers) const;
  void run_scan(const Call& call, const schedule::Control& control, void* const* pointers) const;
  std::int32_t threads_of(const Call& call, std::size_t step) const;
  void launch(Call& call, std::size_t step, long thread, long threads) const;
  void launch_joint(Call& call, std::int32_t number, long thread, long threads) const;
  void run_parts(Call& call, std::int32_t first, std::int32_t last, long thread,
                 long threads) const;
  void prepare_meetings(Call& call) const;
  void announce(Call& call, std::size_t first, std::size_t last) const;
  void launch_watched(Call& call, std::size_t step, long thread, long threads) const;
  void launch_measured(Call& call, std::size_t step, long thread, long threads) const;

  schedule::Plan plan_;
  std::shared_ptr<const compiler::Module> module_;
  std::vector<Step> steps_;
  std::vector<std::size_t> control_steps_;           // of steps_: those that run bodies
  std::vector<std::unique_ptr<Executable>> bodies_;  // of the plan
  std::vector<Joint> joints_;
  std::vector<Part> parts_;           // of all joints
  std::vector<std::int32_t> chunks_;  // the first of parts_ of each
  std::vector<Slot> input_slots_, output_slots_, arena_slots_;
  std::vector<KeptSlot> kept_slots_;
  std::vector<std::int32_t> kept_inputs_;
  std::vector<std::int64_t> offsets_;  // of each buffer; those that symbols decide are per call
  std::size_t pointers_ = 0;
  std::vector<long> sizes_;  // of all launches, if the plan is static
  std::int64_t arena_bytes_ = -1;
  bool is_static_ = true;  // sizes, offsets and the arena do not depend on symbols
  bool is_long_ = false;   // if the plan is static: some launch is worth waking all threads
  Stopwatch* stopwatch_ = nullptr;
  mutable ArenaPool arenas_;
};

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/host/executable.ipp>
#endif
