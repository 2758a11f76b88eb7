#pragma once
// Autotuning of GPU kernels and of library calls that replace them, timed by events on the stream.

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/unique_ptr.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cuda/emit_cuda.hpp>
#include <sinter/config.hpp>
#include <sinter/jit/tune/target.hpp>
#include <sinter/runtime/cuda/execute/executable.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// The launch configurations of the kernels of a plan, and the library calls that replace kernels.
struct CudaLaunches {
  Vector<runtime::CudaGrid> grids{};
  runtime::CudaLibraryCalls calls{};
};

class CudaTuning final : public TuningTarget {
 public:
  /// `options` are the code generation options, without a tuning.
  CudaTuning(Device device, const codegen::CudaOptions& options, bool graphs,
             Vector<schedule::Update> updates)
      : device_(device), options_(options), graphs_(graphs), updates_(std::move(updates)) {}

  Source emit(const schedule::Kernel& kernel, const codegen::Tuning& tuning) const override;
  std::string prelude(Span<const Source> kernels) const override;
  Vector<codegen::Candidate> candidates(const schedule::Kernel& kernel) const override;
  std::string environment() const override;
  UniquePtr<TrialProgram> program(const Graph& graph, const Build& first,
                                  const TuningInputs& call) const override;

  Device device() const { return device_; }
  /// The code generation options with `tuning`.
  codegen::CudaOptions options(const codegen::Tuning& tuning) const;
  /// Adds the launch of `kernel` with `tuning`.
  void add_launch(const schedule::Kernel& kernel, const codegen::Tuning& tuning,
                  CudaLaunches& launches) const;
  /// How the plan is replayed. Refers to members of this object.
  runtime::CudaReplayOptions replay() const { return {.graphs = graphs_, .updates = updates_}; }

 private:
  Device device_;
  codegen::CudaOptions options_;
  bool graphs_;
  Vector<schedule::Update> updates_;
};

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/cuda/tune.ipp>
#endif
