#pragma once
// The interface of an executable for a GPU.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::int64_t

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/where.hpp>
#include <sinter/compile/unit/module.hpp>
#include <sinter/config.hpp>
#include <sinter/device/host/storage.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// Recorded launches that an executable gave away; their destructors free what they hold, and may
/// wait for the GPU.
using GpuReplays = Vector<SharedPtr<void>>;

/// A plan with its loaded kernels. runtime/cuda/execute/executable.hpp implements it.
class GpuExecutable {
 public:
  virtual ~GpuExecutable() = default;

  /// Submits the launches, ordered after earlier work on the same memory. `inputs` are GPU or host
  /// addresses; host memory may change once run() returns. `outputs` are GPU addresses. `held` are
  /// the storages of the inputs, then of the outputs, alive during the call; null for host memory
  /// without a storage. If `held` is empty, the storages are looked up. The host waits only for
  /// fault words of launches that can fault, and for branches and loops.
  ///
  /// Throws what Executable::run() throws; state that the plan updates in place is then unchanged.
  virtual void run(Span<void* const> inputs, Span<void* const> outputs,
                   Span<const std::int64_t> symbols, Where where,
                   Span<const Storage* const> held) const = 0;
  /// Moves its recorded launches out; the next call records new ones. Not during calls.
  virtual GpuReplays take_replays() const = 0;
  /// The bytes of its GPU that recorded launches keep between calls.
  virtual std::size_t kept_bytes() const = 0;

  virtual const schedule::Plan& plan() const = 0;
  virtual const SharedPtr<const compiler::Module>& module() const = 0;
};

}  // namespace sinter::inline SINTER_ABI::detail::runtime
