#pragma once

// Programs of a GPU.

#include <sinter/codegen/cuda.hpp>
#include <sinter/device/cuda_copy.hpp>
#include <sinter/device/cuda_memory.hpp>
#include <sinter/jit/library_product.hpp>
#include <sinter/jit/lower.hpp>

namespace sinter::inline SINTER_ABI::jit {

namespace detail {

SINTER_INLINE compiler::TranslationUnit cuda_unit_of(const schedule::Plan& plan, bool strict,
                                                     Device device) {
  compiler::TranslationUnit unit;
  unit.language = Language::cuda;
  unit.architecture = cuda_architecture(device);
  for (const schedule::Kernel& kernel : plan.kernels) {
    unit.kernels.push_back(codegen::emit_cuda(kernel, {.strict = strict}));
  }
  unit.prelude = codegen::cuda_prelude(unit.kernels);
  unit.fingerprint = generator_fingerprint;
  unit.contraction = strict ? compiler::Contraction::off : compiler::Contraction::fast;
  return unit;
}

SINTER_INLINE std::vector<runtime::CudaGrid> grids_of(const schedule::Plan& plan, bool strict) {
  std::vector<runtime::CudaGrid> result;
  for (const schedule::Kernel& kernel : plan.kernels) {
    const codegen::CudaLaunch launch = codegen::cuda_launch(kernel, {.strict = strict});
    result.push_back({launch.blocks, launch.threads, launch.shared_bytes});
  }
  return result;
}

// Of each kernel; under `strict` every product is rounded as its kernel rounds it.
SINTER_INLINE runtime::CudaLibraryCalls library_calls_of(const schedule::Plan& plan, bool strict) {
  runtime::CudaLibraryCalls result;
  for (const schedule::Kernel& kernel : plan.kernels) {
    result.push_back(strict ? nullptr : library_product(kernel));
  }
  return result;
}

SINTER_INLINE Lowered compiled_for_gpu(const Graph& recorded, const LowerOptions& options) {
  const bool strict = options.numerics == Numerics::strict;
  Graph graph = pass::optimize(recorded, {.strict = strict});
  if (verifies()) verify(graph);
  log(Log::graph, text("after the passes\n", graph));
  schedule::Plan plan = schedule::plan(
      graph, {.strict = strict, .updates = options.updates, .blocks = !strict, .gpu = true});
  if (verifies()) verify(plan);
  const compiler::TranslationUnit unit = cuda_unit_of(plan, strict, options.device);
  for (const Source& source : unit.kernels) log(Log::code, text(source.name, "\n", source.text));
  dump(recorded, graph, plan, unit);
  auto module = compiler::load_or_compile(unit);
  const compiler::Work work = module->work();
  std::vector<runtime::CudaGrid> grids = grids_of(plan, strict);
  const runtime::CudaReplayOptions replay{.graphs = options.graphs, .updates = options.updates};
  runtime::CudaLibraryCalls calls = library_calls_of(plan, strict);
  auto executable = std::make_unique<runtime::CudaExecutable>(std::move(plan), std::move(module),
                                                              std::move(grids), options.device,
                                                              std::move(calls), replay);
  return {std::make_shared<const Program>(std::move(graph), std::move(executable), unit.kernels,
                                          options.device),
          work};
}

}  // namespace detail

// What the interpreter computes of copies on the host.
SINTER_INLINE void Program::interpret_for_gpu(std::span<void* const> inputs,
                                              std::span<void* const> outputs,
                                              std::span<const std::int64_t> symbols,
                                              Where where) const {
  std::vector<Storage> copies;
  std::vector<void*> here, results;
  for (void* const input : inputs) {
    const Storage there = memory_at(device_, input);
    if (there) copies.push_back(copied_to(there, cpu(), where));
    here.push_back(there ? copies.back().data() : input);
  }
  std::vector<Storage> computed;
  for (void* const output : outputs) {
    computed.push_back(Storage::allocate(memory_at(device_, output).bytes(), cpu(), where));
    results.push_back(computed.back().data());
  }
  interpret(here, results, symbols);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    copy_bytes(memory_at(device_, outputs[i]), computed[i], where);
  }
}

}  // namespace sinter::inline SINTER_ABI::jit
