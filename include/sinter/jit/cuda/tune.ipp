#pragma once

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cuda/tune/candidates.hpp>
#include <sinter/device/cuda/cublaslt.hpp>
#include <sinter/jit/cuda/library_product.hpp>
#include <sinter/jit/cuda/tune.hpp>
#include <sinter/runtime/cuda/kernel_timer.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

// The number of algorithms of a library that are tried.
inline constexpr int most_answers = 3;

class CudaTrial final : public TrialProgram {
 public:
  CudaTrial(const CudaTuning& target, const Graph& graph, const Build& first,
            const TuningInputs& call);

  std::vector<std::int64_t> run(const Vector<std::size_t>& texts) override;
  std::int64_t passed() const override { return watch_.elapsed(); }
  std::int64_t take_failed() override { return watch_.take_failed(); }
  Build build(const Vector<std::size_t>& texts) const override;

 private:
  CudaLaunches launches_of(const Vector<std::size_t>& texts) const;

  const CudaTuning& target_;
  const schedule::Plan& plan_;
  const TuningInputs& call_;
  runtime::CudaKernelTimer watch_;
  Vector<Storage> results_{};
  Vector<void*> outputs_{};
  Vector<bool> warm_{};  // the texts that have run before
};

SINTER_INLINE CudaTrial::CudaTrial(const CudaTuning& target, const Graph& graph, const Build& first,
                                   const TuningInputs& call)
    : target_(target),
      plan_(first.plan()),
      call_(call),
      watch_(target.device(), plan_.kernels.size()) {
  for (const Value value : graph.outputs) {
    const TensorType& type = graph.type(value);
    const std::int64_t elements = evaluate(numel(type.shape), call.symbols);
    results_.push_back(Storage::allocate(static_cast<std::size_t>(elements) * info(type.dtype).size,
                                         target.device()));
    outputs_.push_back(results_.back().data());
  }
}

SINTER_INLINE CudaLaunches CudaTrial::launches_of(const Vector<std::size_t>& texts) const {
  CudaLaunches result;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    target_.add_launch(plan_.kernels[i], text(texts[i]).tuning, result);
  }
  return result;
}

// The first run of a text is not timed: the driver loads the kernel, or the library searches for an
// algorithm.
SINTER_INLINE std::vector<std::int64_t> CudaTrial::run(const Vector<std::size_t>& texts) {
  CudaLaunches launches = launches_of(texts);
  runtime::CudaExecutable executable(plan_, module_of(texts), std::move(launches.grids),
                                     target_.device(), std::move(launches.calls));
  executable.measure(&watch_);
  warm_.resize(text_count());
  bool warm = true;
  for (const std::size_t number : texts) warm = warm && warm_[number];
  for (int pass = warm ? 1 : 0; pass < 2; ++pass) {
    watch_.start(plan_.launches.size(), Where());
    executable.run(call_.inputs, outputs_, call_.symbols);
  }
  for (const std::size_t number : texts) warm_[number] = true;
  return watch_.take(Where());
}

SINTER_INLINE Build CudaTrial::build(const Vector<std::size_t>& texts) const {
  CudaLaunches launches = launches_of(texts);
  return {{},
          make_unique_ptr<runtime::CudaExecutable>(plan_, module_of(texts),
                                                   std::move(launches.grids), target_.device(),
                                                   std::move(launches.calls), target_.replay()),
          {}};
}

// Null under Numerics::strict, which requires the rounding of our kernel.
SINTER_INLINE SharedPtr<const runtime::CudaLibraryCall> library_call(
    const schedule::Kernel& kernel, const codegen::CudaOptions& options) {
  if (options.strict || options.tuning.generated != 0 || kernel.batch_capacity != 0) return nullptr;
  auto result = library_product(kernel, options.tf32);
  if (result == nullptr || options.tuning.library_algorithm == 0) return result;
  runtime::CudaLibraryCall other = *result;
  other.answer = options.tuning.library_algorithm;
  return make_shared_ptr<const runtime::CudaLibraryCall>(std::move(other));
}

}  // namespace detail

SINTER_INLINE codegen::CudaOptions CudaTuning::options(const codegen::Tuning& tuning) const {
  codegen::CudaOptions result = options_;
  result.tuning = tuning;
  return result;
}

SINTER_INLINE Source CudaTuning::emit(const schedule::Kernel& kernel,
                                      const codegen::Tuning& tuning) const {
  return codegen::emit_cuda(kernel, options(tuning));
}

SINTER_INLINE std::string CudaTuning::prelude(Span<const Source> kernels) const {
  return codegen::cuda_prelude(kernels);
}

// If a library call replaces the kernel, the candidates are the library's next best algorithms, the
// default text of the kernel, and the other texts; otherwise the texts only.
SINTER_INLINE Vector<codegen::Candidate> CudaTuning::candidates(
    const schedule::Kernel& kernel) const {
  Vector<codegen::Candidate> texts = codegen::cuda_candidates(kernel, options_);
  const auto call = detail::library_call(kernel, options_);
  if (call == nullptr || !call->may_pay() || cublaslt() == nullptr) return texts;
  Vector<codegen::Candidate> result;
  const Source usual = emit(kernel, {});
  for (int answer = 2; answer <= detail::most_answers; ++answer) {
    result.push_back({{.library_algorithm = answer}, usual});
  }
  result.push_back({{.generated = 1}, usual});
  for (codegen::Candidate& one : texts) {
    one.tuning.generated = 1;
    result.push_back(std::move(one));
  }
  return result;
}

SINTER_INLINE std::string CudaTuning::environment() const {
  const CudaContext& context = CudaContext::of(device_);
  char name[256] = "";
  int number = 0, version = 0;
  const CudaDriver& driver = context.driver();
  context.check(driver.device(&number, device_.index()), "cuDeviceGet", Where());
  context.check(driver.device_name(name, sizeof(name), number), "cuDeviceGetName", Where());
  context.check(driver.version(&version), "cuDriverGetVersion", Where());
  return text("GPU ", name, "\ndriver ", version, "\ncublaslt ",
              cublaslt() == nullptr ? 0 : cublaslt()->version());
}

SINTER_INLINE void CudaTuning::add_launch(const schedule::Kernel& kernel,
                                          const codegen::Tuning& tuning,
                                          CudaLaunches& launches) const {
  const codegen::CudaLaunch launch = codegen::cuda_launch(kernel, options(tuning));
  launches.grids.push_back({launch.blocks, launch.threads, launch.shared_bytes});
  launches.calls.push_back(detail::library_call(kernel, options(tuning)));
}

SINTER_INLINE UniquePtr<TrialProgram> CudaTuning::program(const Graph& graph, const Build& first,
                                                          const TuningInputs& call) const {
  return make_unique_ptr<detail::CudaTrial>(*this, graph, first, call);
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
