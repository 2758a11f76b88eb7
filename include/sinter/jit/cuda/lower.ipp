#pragma once

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/unique_ptr.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/log.hpp>
#include <sinter/base/time/phase.hpp>
#include <sinter/codegen/cuda/control.hpp>
#include <sinter/codegen/cuda/emit_cuda.hpp>
#include <sinter/compile/cache/load_or_compile.hpp>
#include <sinter/compile/nvrtc/linker.hpp>
#include <sinter/device/cuda/query.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/graph/verify.hpp>
#include <sinter/jit/cuda/lower.hpp>
#include <sinter/jit/cuda/tune.hpp>
#include <sinter/jit/lower/dump.hpp>
#include <sinter/jit/lower/lowering_probe.hpp>
#include <sinter/jit/lower/memory_budget.hpp>
#include <sinter/jit/rewrite/program_rewrite.hpp>
#include <sinter/jit/rewrite/resolve_custom.hpp>
#include <sinter/pass/pipeline.hpp>
#include <sinter/runtime/cuda/launch.hpp>
#include <sinter/runtime/cuda/library/call.hpp>
#include <sinter/runtime/host/memory_report.hpp>
#include <sinter/schedule/gpu_target.hpp>
#include <sinter/schedule/plan.hpp>
#include <sinter/schedule/stage.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

// The target for `device`.
SINTER_INLINE schedule::Target target_of(Device device) {
  schedule::Multiprocessors gpu{.argument_bytes = most_argument_bytes()};
  const auto read = [&](auto& field, int attribute) {
    const int found = cuda_attribute(device, attribute);
    if (found > 0) field = found;
  };
  read(gpu.count, CudaDriver::processors);
  read(gpu.registers, CudaDriver::block_registers);
  read(gpu.block_threads, CudaDriver::block_threads);
  read(gpu.shared_bytes, CudaDriver::most_shared_bytes);
  return schedule::gpu_target(gpu);
}

SINTER_INLINE schedule::Plan cuda_plan_of(const Graph& graph, const LowerOptions& options) {
  const PhaseScope phase(CallPhase::plan);
  const bool strict = options.numerics == Numerics::strict;
  schedule::Options planning{.strict = strict,
                             .updates = options.updates,
                             .row_tiles = !strict,
                             .target = target_of(options.device)};
  if (lowering_probe != nullptr) lowering_probe->planning(planning);
  schedule::Plan plan = plan_within(options.memory_bytes, graph, planning);
  if (lowering_probe != nullptr) lowering_probe->planned(plan);
  if (verifies()) verify(plan);
  if (log_enabled(Log::memory)) log(Log::memory, runtime::memory_text(plan));
  return plan;
}

SINTER_INLINE compiler::TranslationUnit cuda_unit_of(const schedule::Plan& plan,
                                                     const codegen::CudaOptions& options,
                                                     Device device) {
  const PhaseScope phase(CallPhase::emit);
  compiler::TranslationUnit unit;
  unit.language = Language::cuda;
  unit.architecture = cuda_architecture(device);
  for (const schedule::Kernel& kernel : plan.kernels) {
    unit.kernels.push_back(codegen::emit_cuda(kernel, options));
  }
  unit.prelude = codegen::cuda_prelude(unit.kernels);
  unit.contraction = options.strict ? compiler::Contraction::off : compiler::Contraction::fast;
  if (lowering_probe != nullptr) lowering_probe->printed(unit);
  return unit;
}

// How the kernels of `plan` are launched, with the cached choices of `tuner`.
SINTER_INLINE CudaLaunches launches_of(const schedule::Plan& plan, const CudaTuning& target,
                                       const Tuner* tuner) {
  CudaLaunches result;
  for (std::size_t i = 0; i < plan.kernels.size(); ++i) {
    const codegen::Tuning tuning = tuner == nullptr ? codegen::Tuning{} : tuner->tunings()[i];
    target.add_launch(plan.kernels[i], tuning, result);
  }
  return result;
}

// Adds the kernels of bodies that run within CUDA Graphs to `unit`.
SINTER_INLINE runtime::CudaBodies add_bodies(const schedule::Plan& plan,
                                             codegen::CudaOptions options,
                                             const runtime::CudaLibraryCalls& calls,
                                             compiler::TranslationUnit& unit) {
  runtime::CudaBodies result{.missing = runtime::why_control_needs_host(plan, calls)};
  if (result.missing.empty()) result.missing = compiler::device_runtime_missing();
  if (!result.missing.empty()) return result;
  compiler::TranslationUnit control{.language = Language::cuda, .architecture = unit.architecture};
  for (Source& kernel : codegen::cuda_control_kernels()) control.kernels.push_back(kernel);
  try {
    result.control = compiler::load_or_compile(control);
  } catch (const DeviceError& error) {
    result.missing = error.what();
    return result;
  }
  options.in_body = true;
  const Vector<bool> used = runtime::kernels_in_bodies(plan);
  for (std::size_t i = 0; i < used.size(); ++i) {
    result.variants.push_back(used[i] ? static_cast<std::int32_t>(unit.kernels.size()) : -1);
    if (!used[i]) continue;
    unit.kernels.push_back(codegen::emit_cuda(plan.kernels[i], options));
  }
  return result;
}

// The kernel texts for logs and explain(), with a comment above those that a library can replace.
SINTER_INLINE Vector<Source> readable(const compiler::TranslationUnit& unit,
                                      const runtime::CudaLibraryCalls& calls) {
  Vector<Source> result = unit.kernels;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls[i] == nullptr) continue;
    const char* const when = calls[i]->always_pays() ? "" : ", if it is large";
    result[i].text = text("// Where cuBLASLt can be used it computes this", when,
                          "; the kernel runs elsewhere.\n", result[i].text);
  }
  for (const Source& source : result) log(Log::code, text(source.name, "\n", source.text));
  result.resize(calls.size());  // without the kernels of bodies in CUDA Graphs
  return result;
}

SINTER_INLINE LoweredProgram lower_for_gpu(const Graph& recorded, const LowerOptions& options) {
  const bool strict = options.numerics == Numerics::strict;
  Graph graph = pass::optimize(resolve_custom(recorded, true), {.strict = strict});
  if (program_rewrite() != nullptr) graph = program_rewrite()(std::move(graph));
  if (verifies()) verify(graph);
  if (log_enabled(Log::graph)) log(Log::graph, text("after the passes\n", graph));
  schedule::begin_dump();
  schedule::Plan plan = cuda_plan_of(graph, options);
  const codegen::CudaOptions texts{
      .target = plan.options->target, .strict = strict, .tf32 = recorded.tf32 && !strict};
  compiler::TranslationUnit unit = cuda_unit_of(plan, texts, options.device);
  const auto target =
      make_shared_ptr<const CudaTuning>(options.device, texts, options.graphs, options.updates);
  SharedPtr<Tuner> tuner;
  runtime::CudaReplayOptions replay = target->replay();
  const auto is_control = [&](const auto& launch) { return runtime::is_control(plan, launch); };
  if (options.graphs && any_of(plan.launches, is_control)) {
    replay.bodies = add_bodies(plan, texts, launches_of(plan, *target, nullptr).calls, unit);
  }
  // Bodies in CUDA Graphs have kernel texts of their own, which are not tuned.
  if (replay.bodies.variants.empty()) {
    tuner = tuner_of(plan, unit, options, target);
  } else if (options.tunes) {
    log(Log::autotune,
        "nothing is tuned: branches and loops are part of a CUDA Graph; "
        "Mode::max_autotune_no_cuda_graphs uses none");
  }
  CudaLaunches launches = launches_of(plan, *target, tuner.get());
  Vector<Source> sources = readable(unit, launches.calls);
  dump(recorded, graph, plan, unit);
  auto module = load_or_compile(plan, unit);
  const compiler::CompileStats work = module->work();
  auto executable = make_unique_ptr<runtime::CudaExecutable>(
      std::move(plan), std::move(module), std::move(launches.grids), options.device,
      std::move(launches.calls), replay);
  return {make_shared_ptr<const Program>(std::move(graph), std::move(executable),
                                         std::move(sources), options.device, std::move(tuner)),
          {},
          work};
}

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::jit
