#pragma once
// Autotuning of host kernels, timed by the clocks of the threads.

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/unique_ptr.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cpp/emit_cpp.hpp>
#include <sinter/config.hpp>
#include <sinter/jit/tune/target.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

class HostTuning final : public TuningTarget {
 public:
  /// `options` are the code generation options of the default texts.
  explicit HostTuning(const codegen::CppOptions& options) : options_(options) {}

  Source emit(const schedule::Kernel& kernel, const codegen::Tuning& tuning) const override;
  std::string prelude(Span<const Source> kernels) const override;
  Vector<codegen::Candidate> candidates(const schedule::Kernel& kernel) const override;
  std::string environment() const override;
  UniquePtr<TrialProgram> program(const Graph& graph, const Build& first,
                                  const TuningInputs& call) const override;

 private:
  codegen::CppOptions options_;
};

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/tune/host.ipp>
#endif
