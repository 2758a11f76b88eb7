#pragma once
// A plan whose kernels are loaded: what a recording becomes, and how it runs.

#include <cstdint>  // std::int64_t
#include <memory>   // std::shared_ptr
#include <span>     // std::span
#include <vector>   // std::vector

#include <sinter/base/fault.hpp>
#include <sinter/compile/module.hpp>
#include <sinter/config.hpp>
#include <sinter/runtime/arena.hpp>
#include <sinter/schedule/plan.hpp>

namespace sinter::inline SINTER_ABI::runtime {

/// The generated function of a kernel: see codegen/cpp.hpp.
using KernelFunction = void (*)(void* const* buffers, const long* sizes, Fault* fault, long thread,
                                long threads);

class Executable {
 public:
  /// `module` has the function of each kernel of `plan`, in their order.
  Executable(schedule::Plan plan, std::shared_ptr<const compiler::Module> module);

  /// Runs the launches in their order. `inputs` and `outputs` are the first bytes of each;
  /// `symbols` the sizes by the id of the symbol. Calls may overlap.
  ///
  /// Throws IndexError at the first fault in the data; what the plan updates is then untouched.
  void run(std::span<void* const> inputs, std::span<void* const> outputs,
           std::span<const std::int64_t> symbols) const;

  const schedule::Plan& plan() const { return plan_; }

 private:
  // A launch with all that is known before the call.
  struct Step {
    KernelFunction function = nullptr;
    std::vector<std::int32_t> buffers{};
    std::vector<long> sizes{};  // of a static launch
    bool is_static = true;
    bool can_fault = false;
    std::int64_t work = 0;  // of a static launch
  };
  struct Call;

  void prepare();
  void bind_buffers(Call& call, std::span<void* const> inputs, std::span<void* const> outputs,
                    std::byte* arena) const;
  void bind_sizes(Call& call) const;
  void run_alone(Call& call) const;
  void run_shared(Call& call) const;
  void launch(Call& call, std::size_t step, long thread, long threads) const;
  [[noreturn]] void throw_fault(std::size_t step, const Fault& fault) const;

  schedule::Plan plan_;
  std::shared_ptr<const compiler::Module> module_;
  std::vector<Step> steps_;
  std::vector<std::int32_t> first_slot_;  // in Call::pointers, of each step
  std::vector<std::int32_t> first_size_;  // in Call::sizes, of each step
  std::int64_t arena_bytes_ = -1;         // -1 if it depends on symbols
  bool is_static_ = true;
  mutable ArenaPool arenas_;
};

}  // namespace sinter::inline SINTER_ABI::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/executable.ipp>
#endif
