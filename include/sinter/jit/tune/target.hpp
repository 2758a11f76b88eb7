#pragma once
// The interface between the autotuner and the machine that runs the kernels: host or GPU.

#include <cstddef>      // std::size_t
#include <cstdint>      // std::int64_t
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/unique_ptr.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/source.hpp>
#include <sinter/codegen/tune/candidates.hpp>
#include <sinter/compile/unit/module.hpp>
#include <sinter/config.hpp>
#include <sinter/device/host/storage.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/runtime/host/executable.hpp>
#include <sinter/runtime/host/gpu_executable.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// An executable for the host or a GPU, and the text of each kernel of its plan.
struct Build {
  UniquePtr<runtime::Executable> executable{};
  UniquePtr<runtime::GpuExecutable> on_gpu{};
  Vector<Source> sources{};

  const schedule::Plan& plan() const {
    return on_gpu != nullptr ? on_gpu->plan() : executable->plan();
  }
  const SharedPtr<const compiler::Module>& module() const {
    return on_gpu != nullptr ? on_gpu->module() : executable->module();
  }
};

/// The inputs of the timed call; see Executable and GpuExecutable. Timing reads the inputs and
/// writes to its own memory.
struct TuningInputs {
  Span<void* const> inputs{};
  Span<const std::int64_t> symbols{};
  Span<const Storage* const> packed_from{};
};

/// One text of a kernel.
struct TuningText {
  std::size_t kernel = 0;
  codegen::Tuning tuning{};
};

/// A program that is run repeatedly with different kernel texts, which are identified by number.
class TrialProgram {
 public:
  virtual ~TrialProgram() = default;

  /// `module` has the compiled kernels of `texts`. The first texts are those of the plan, in order.
  void use(SharedPtr<const compiler::Module> module, Span<const TuningText> texts) {
    module_ = std::move(module);
    texts_ = texts;
  }
  /// Runs once with one text per kernel. Returns the time of each kernel in nanoseconds.
  virtual std::vector<std::int64_t> run(const Vector<std::size_t>& texts) = 0;
  /// The duration of the last run in nanoseconds.
  virtual std::int64_t passed() const = 0;
  /// Returns and clears the kernel that the last run failed to launch; -1 if none.
  virtual std::int64_t take_failed() { return -1; }
  /// The program with one text per kernel, without sources.
  virtual Build build(const Vector<std::size_t>& texts) const = 0;

 protected:
  /// A module with the kernels of `texts` only.
  SharedPtr<const compiler::Module> module_of(const Vector<std::size_t>& texts) const;
  const TuningText& text(std::size_t number) const { return texts_[number]; }
  std::size_t text_count() const { return texts_.size(); }

 private:
  SharedPtr<const compiler::Module> module_{};
  Span<const TuningText> texts_{};
};

/// The machine and the code generator that a program is tuned for.
class TuningTarget {
 public:
  virtual ~TuningTarget() = default;

  virtual Source emit(const schedule::Kernel& kernel, const codegen::Tuning& tuning) const = 0;
  /// The definitions of all helpers that `kernels` call.
  virtual std::string prelude(Span<const Source> kernels) const = 0;
  /// The alternatives to the default text of `kernel`.
  virtual Vector<codegen::Candidate> candidates(const schedule::Kernel& kernel) const = 0;
  /// What else affects the times, such as the number of threads. Part of the key of cached choices.
  virtual std::string environment() const = 0;
  /// A trial program for `first`, which computes `graph`, on the inputs of `call`.
  virtual UniquePtr<TrialProgram> program(const Graph& graph, const Build& first,
                                          const TuningInputs& call) const = 0;
};

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/tune/target.ipp>
#endif
