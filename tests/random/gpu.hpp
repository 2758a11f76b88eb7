#pragma once
// The half of run.hpp that is for a GPU.

#include <cstring>
#include <vector>

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/codegen/cuda/emit_cuda.hpp>
#include <sinter/compile/unit/module.hpp>
#include <sinter/device/cuda/copy.hpp>
#include <sinter/runtime/cuda/execute/executable.hpp>

namespace random_program {

using namespace sinter;
using namespace sinter::detail;

using Symbols = std::vector<std::int64_t>;

inline compiler::TranslationUnit gpu_unit_of(const schedule::Plan& plan, bool strict) {
  compiler::TranslationUnit unit;
  unit.language = Language::cuda;
  unit.architecture = cuda_architecture(cuda());
  for (const schedule::Kernel& kernel : plan.kernels) {
    unit.kernels.push_back(codegen::emit_cuda(kernel, {.strict = strict}));
  }
  unit.contraction = strict ? compiler::Contraction::off : compiler::Contraction::fast;
  return unit;
}

/// False for an output that is an input, or another output.
inline bool is_own_output(const schedule::Plan& plan, std::size_t i) {
  const auto& buffer = plan.buffers[static_cast<std::size_t>(plan.outputs[i])];
  return buffer.home == schedule::Home::output && static_cast<std::size_t>(buffer.position) == i;
}

/// Runs `plan` on copies of `inputs`, and copies what it gives to `outputs`.
inline void run_on_gpu(const schedule::Plan& plan, bool strict,
                       SharedPtr<const compiler::Module> module, const Vector<Storage>& inputs,
                       const Vector<Storage>& outputs, const Symbols& symbols) {
  Vector<runtime::CudaGrid> grids;
  for (const schedule::Kernel& kernel : plan.kernels) {
    const codegen::CudaLaunch launch = codegen::cuda_launch(kernel, {.strict = strict});
    grids.push_back({launch.blocks, launch.threads, launch.shared_bytes});
  }
  Vector<Storage> there;
  std::vector<void*> from, to;
  for (const Storage& input : inputs) {
    there.push_back(copied_to(input, cuda()));
    from.push_back(there.back().data());
  }
  for (const Storage& output : outputs) {
    there.push_back(Storage::allocate(output.bytes(), cuda()));
    to.push_back(there.back().data());
  }
  runtime::CudaExecutable(plan, std::move(module), std::move(grids), cuda()).run(from, to, symbols);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (is_own_output(plan, i)) copy_bytes(outputs[i], there[inputs.size() + i]);
  }
}

}  // namespace random_program
