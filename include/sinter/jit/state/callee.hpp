#pragma once
// A graph of a compiled function that gradients flow through. It is compiled when it first runs.

#include <cstdint>  // std::uint64_t
#include <memory>   // std::shared_ptr, std::weak_ptr
#include <span>     // std::span
#include <vector>   // std::vector

#include <sinter/base/process_mutex.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/callee.hpp>
#include <sinter/jit/lower/options.hpp>
#include <sinter/jit/lower/program.hpp>
#include <sinter/jit/state/miss.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

class State;

/// A graph of a compiled function, which is compiled when it first runs; in the background if the
/// function is, and interpreted until then.
class CompiledCallee final : public Callee, public std::enable_shared_from_this<CompiledCallee> {
 public:
  CompiledCallee(Graph graph, LowerOptions options, std::weak_ptr<State> state,
                 bool is_outside = false)
      : Callee(std::move(graph)),
        options_(std::move(options)),
        state_(std::move(state)),
        is_outside_(is_outside) {}

  std::shared_ptr<const Callee> with(Graph graph) const override;
  /// A graph outside of the function, beside its calls: compiled when the function may compile, and
  /// then rounded at every operation. It is not counted.
  std::shared_ptr<const CompiledCallee> outside(Graph graph) const;
  /// True if the function compiles nothing new.
  bool is_frozen() const;
  bool is_compiled_later() const;
  /// The outputs, on `device`, where symbols have these sizes. Each evaluation of a
  /// graph with calls has its own `evaluation` number.
  ///
  /// Throws what Program::run() throws, at `where`, and RecompileLimitError if this was not
  /// compiled before and may not be now.
  std::vector<Storage> run(std::span<const Storage> inputs, std::span<const std::int64_t> sizes,
                           Device device, Where where, std::uint64_t evaluation) const;

 private:
  friend class CompileCallee;

  std::shared_ptr<const Runnable> runnable_on(Device device, std::uint64_t evaluation) const;
  OnMiss on_miss(std::uint64_t evaluation) const;
  std::shared_ptr<const Runnable> lowered(const LowerOptions& options) const;
  void compile_now(Device device) const noexcept;
  void refuse() const;

  LowerOptions options_;
  std::weak_ptr<State> state_;  // which counts what runs, as long as it is there
  bool is_outside_;
  mutable ProcessMutex mutex_{};
  mutable std::vector<std::shared_ptr<const Runnable>> runnables_{};  // one for each device
};

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/state/callee.ipp>
#endif
