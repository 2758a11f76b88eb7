#pragma once

#include <sinter/base/container/vector.hpp>
#include <sinter/jit/tune/host.hpp>
#include <sinter/runtime/host/kernel_timer.hpp>
#include <sinter/runtime/host/profiler.hpp>
#include <sinter/runtime/host/thread_pool.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

class HostTrial final : public TrialProgram {
 public:
  HostTrial(const Graph& graph, const Build& first, const TuningInputs& call);

  std::vector<std::int64_t> run(const Vector<std::size_t>& texts) override;
  std::int64_t passed() const override { return passed_; }
  Build build(const Vector<std::size_t>& texts) const override;

 private:
  const TuningInputs& call_;
  runtime::Executable executable_;
  runtime::KernelTimer stopwatch_;
  Vector<Storage> results_{};
  Vector<void*> outputs_{};
  std::int64_t passed_ = 0;
};

SINTER_INLINE HostTrial::HostTrial(const Graph& graph, const Build& first, const TuningInputs& call)
    : call_(call),
      executable_(first.plan(), first.module()),
      stopwatch_(first.plan().kernels.size()) {
  for (const Value value : graph.outputs) {
    const TensorType& type = graph.type(value);
    const std::int64_t elements = evaluate(numel(type.shape), call.symbols);
    results_.push_back(
        Storage::allocate(static_cast<std::size_t>(elements) * info(type.dtype).size));
    outputs_.push_back(results_.back().data());
  }
  executable_.measure(&stopwatch_);
}

SINTER_INLINE std::vector<std::int64_t> HostTrial::run(const Vector<std::size_t>& texts) {
  executable_.use(module_of(texts));
  const std::int64_t start = runtime::monotonic_nanoseconds();
  executable_.run(call_.inputs, outputs_, call_.symbols, Where(), call_.packed_from);
  passed_ = runtime::monotonic_nanoseconds() - start;
  return stopwatch_.take();
}

SINTER_INLINE Build HostTrial::build(const Vector<std::size_t>& texts) const {
  return {make_unique_ptr<runtime::Executable>(executable_.plan(), module_of(texts)), {}, {}};
}

}  // namespace detail

SINTER_INLINE Source HostTuning::emit(const schedule::Kernel& kernel,
                                      const codegen::Tuning& tuning) const {
  codegen::CppOptions tuned = options_;
  tuned.tuning = tuning;
  return codegen::emit_cpp(kernel, tuned);
}

SINTER_INLINE std::string HostTuning::prelude(Span<const Source> kernels) const {
  return codegen::cpp_prelude(kernels);
}

SINTER_INLINE Vector<codegen::Candidate> HostTuning::candidates(
    const schedule::Kernel& kernel) const {
  return codegen::candidates(kernel, options_);
}

SINTER_INLINE std::string HostTuning::environment() const {
  return text("threads ", runtime::num_threads());
}

SINTER_INLINE UniquePtr<TrialProgram> HostTuning::program(const Graph& graph, const Build& first,
                                                          const TuningInputs& call) const {
  return make_unique_ptr<detail::HostTrial>(graph, first, call);
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
