#pragma once
// A graph of a compiled function that is differentiated from outside. Compiled on its first run.

#include <cstdint>  // std::uint64_t

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/callee.hpp>
#include <sinter/jit/lower/options.hpp>
#include <sinter/jit/lower/program.hpp>
#include <sinter/jit/state/miss.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

class State;

/// A graph of a compiled function, compiled on its first run; with CompileOptions::background it is
/// interpreted until the background compilation is done.
class CompiledCallee final : public Callee, public SharedFromThis<CompiledCallee> {
 public:
  CompiledCallee(Graph graph, LowerOptions options, WeakPtr<State> state,
                 bool is_surrounding = false)
      : Callee(std::move(graph)),
        options_(std::move(options)),
        state_(std::move(state)),
        is_surrounding_(is_surrounding) {}

  SharedPtr<const Callee> with(Graph graph) const override;
  /// A graph of the code around calls of the function. Compiled with Numerics::strict if the
  /// function may compile; not part of the statistics.
  SharedPtr<const CompiledCallee> surrounding(Graph graph) const;
  /// True if the function is frozen.
  bool is_frozen() const;
  bool compiles_in_background() const;
  /// The outputs, on `device`, for these sizes of the symbols. Each evaluation of a graph with
  /// calls has its own `evaluation` number.
  ///
  /// Throws what Program::run() throws, at `where`, and RecompileLimitError if this is not compiled
  /// and must not be.
  Vector<Storage> run(Span<const Storage> inputs, Span<const std::int64_t> sizes, Device device,
                      Where where, std::uint64_t evaluation) const;

 private:
  friend class CompileCallee;

  SharedPtr<const Runnable> runnable_on(Device device, std::uint64_t evaluation) const;
  OnMiss on_miss(std::uint64_t evaluation) const;
  SharedPtr<const Runnable> lowered(const LowerOptions& options) const;
  void compile_now(Device device) const noexcept;
  void refuse() const;

  LowerOptions options_;
  WeakPtr<State> state_;  // gets the statistics, as long as the function exists
  bool is_surrounding_;
  mutable ProcessMutex mutex_{};
  mutable Vector<SharedPtr<const Runnable>> runnables_{};  // one per device
};

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/state/callee.ipp>
#endif
