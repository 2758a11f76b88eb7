#pragma once

#include <sinter/base/container/vector.hpp>
#include <sinter/jit/tune/target.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

SINTER_INLINE SharedPtr<const compiler::Module> TrialProgram::module_of(
    const Vector<std::size_t>& texts) const {
  Vector<compiler::LoadedKernel> kernels;
  std::vector<std::string> names;
  for (const std::size_t text : texts) {
    kernels.push_back(module_->kernel(text));
    names.push_back(module_->name(text));
  }
  return make_shared_ptr<const compiler::Module>(std::move(kernels), std::move(names),
                                                 compiler::CompileStats{});
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
