#pragma once
// What the kernels of a program are written for, as far as timing them has to know it.

#include <cstddef>      // std::size_t
#include <cstdint>      // std::int64_t
#include <memory>       // std::unique_ptr
#include <span>         // std::span
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/base/source.hpp>
#include <sinter/codegen/tune/candidates.hpp>
#include <sinter/compile/unit/module.hpp>
#include <sinter/config.hpp>
#include <sinter/device/host/storage.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/runtime/cuda/execute/executable.hpp>
#include <sinter/runtime/host/executable.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// A program that can be run, by the host or by a GPU, and the text of each kernel of its plan.
struct Build {
  std::unique_ptr<runtime::Executable> executable{};
  std::unique_ptr<runtime::CudaExecutable> on_gpu{};
  std::vector<Source> sources{};

  const schedule::Plan& plan() const {
    return on_gpu != nullptr ? on_gpu->plan() : executable->plan();
  }
  const std::shared_ptr<const compiler::Module>& module() const {
    return on_gpu != nullptr ? on_gpu->module() : executable->module();
  }
};

/// The arguments of a call: see Executable and CudaExecutable. Timing reads the inputs and writes
/// to memory of its own.
struct TuningCall {
  std::span<void* const> inputs{};
  std::span<const std::int64_t> symbols{};
  std::span<const Storage* const> kept_from{};
};

/// One of the texts of a kernel.
struct TuningText {
  std::size_t kernel = 0;
  codegen::Tuning tuning{};
};

/// A program that runs again and again, each time with other texts. A text is known by its number.
class TrialProgram {
 public:
  virtual ~TrialProgram() = default;

  /// `module` has the kernels of `texts`, the first of which are those of the plan, in its order.
  void use(std::shared_ptr<const compiler::Module> module, std::span<const TuningText> texts) {
    module_ = std::move(module);
    texts_ = texts;
  }
  /// Runs once, with one of `texts` for each kernel; the nanoseconds of each kernel.
  virtual std::vector<std::int64_t> run(const std::vector<std::size_t>& texts) = 0;
  /// How long the last run took, in nanoseconds.
  virtual std::int64_t passed() const = 0;
  /// The kernel whose text the last run failed to launch, which is then forgotten; -1 if none.
  virtual std::int64_t take_failed() { return -1; }
  /// The program with one of `texts` for each kernel, without their sources.
  virtual Build build(const std::vector<std::size_t>& texts) const = 0;

 protected:
  /// The kernels of `texts` alone.
  std::shared_ptr<const compiler::Module> module_of(const std::vector<std::size_t>& texts) const;
  const TuningText& text(std::size_t number) const { return texts_[number]; }
  std::size_t text_count() const { return texts_.size(); }

 private:
  std::shared_ptr<const compiler::Module> module_{};
  std::span<const TuningText> texts_{};
};

/// Where programs of one kind run.
class TuningTarget {
 public:
  virtual ~TuningTarget() = default;

  virtual Source emit(const schedule::Kernel& kernel, const codegen::Tuning& tuning) const = 0;
  /// Other ways than the default to compute `kernel`.
  virtual std::vector<codegen::Candidate> candidates(const schedule::Kernel& kernel) const = 0;
  /// What decides how fast kernels are, beside their texts: the number of threads, say.
  virtual std::string circumstances() const = 0;
  /// `first`, which computes `graph`, to be timed with the arguments of `call`.
  virtual std::unique_ptr<TrialProgram> program(const Graph& graph, const Build& first,
                                                const TuningCall& call) const = 0;
};

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/tune/target.ipp>
#endif
