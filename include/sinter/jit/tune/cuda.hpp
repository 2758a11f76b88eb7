#pragma once
// Kernels that run on a GPU, and library calls in their place, timed by events on its stream.

#include <sinter/codegen/cuda/emit_cuda.hpp>
#include <sinter/config.hpp>
#include <sinter/jit/tune/target.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// How the kernels of a plan are launched, if they are written so; and what of it the library does.
struct CudaLaunches {
  std::vector<runtime::CudaGrid> grids{};
  runtime::CudaLibraryCalls calls{};
};

class CudaTuning final : public TuningTarget {
 public:
  /// `options` are those of the texts, without a tuning.
  CudaTuning(Device device, const codegen::CudaOptions& options, bool graphs,
             std::vector<schedule::Update> updates)
      : device_(device), options_(options), graphs_(graphs), updates_(std::move(updates)) {}

  Source emit(const schedule::Kernel& kernel, const codegen::Tuning& tuning) const override;
  std::vector<codegen::Candidate> candidates(const schedule::Kernel& kernel) const override;
  std::string circumstances() const override;
  std::unique_ptr<TrialProgram> program(const Graph& graph, const Build& first,
                                        const TuningCall& call) const override;

  Device device() const { return device_; }
  /// The options of a text that is written so.
  codegen::CudaOptions options(const codegen::Tuning& tuning) const;
  /// Adds how `kernel` is launched that is written so.
  void add_launch(const schedule::Kernel& kernel, const codegen::Tuning& tuning,
                  CudaLaunches& launches) const;
  /// How the plan is replayed; names what this has.
  runtime::CudaReplayOptions replay() const { return {.graphs = graphs_, .updates = updates_}; }

 private:
  Device device_;
  codegen::CudaOptions options_;
  bool graphs_;
  std::vector<schedule::Update> updates_;
};

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/tune/cuda.ipp>
#endif
