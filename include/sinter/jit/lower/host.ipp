#pragma once

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/unique_ptr.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/env.hpp>
#include <sinter/base/log.hpp>
#include <sinter/base/time/phase.hpp>
#include <sinter/codegen/cpp/emit_cpp.hpp>
#include <sinter/codegen/cpp/function.hpp>
#include <sinter/compile/cache/load_or_compile.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/graph/verify.hpp>
#include <sinter/jit/lower/dump.hpp>
#include <sinter/jit/lower/host.hpp>
#include <sinter/jit/lower/host_target.hpp>
#include <sinter/jit/lower/lowering_probe.hpp>
#include <sinter/jit/lower/memory_budget.hpp>
#include <sinter/jit/rewrite/program_rewrite.hpp>
#include <sinter/jit/tune/host.hpp>
#include <sinter/pass/pipeline.hpp>
#include <sinter/runtime/host/memory_report.hpp>
#include <sinter/schedule/ir/custom_stages.hpp>
#include <sinter/schedule/launch/call_invariant.hpp>
#include <sinter/schedule/plan.hpp>
#include <sinter/schedule/stage.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

// How the kernels of `plan` are written: for the target that it was made for.
SINTER_INLINE codegen::CppOptions options_of(const schedule::Plan& plan) {
  return {.target = plan.options->target, .strict = plan.options->strict};
}

// The -march value for the width in SINTER_VECTOR_BITS; empty for this machine.
SINTER_INLINE std::string host_architecture_for(int vector_bits) {
#ifdef __x86_64__
  const bool asks = !env(Env::vector_bits).empty() && vector_bits != 512;
  if (asks) return vector_bits == 256 ? "x86-64-v3" : "x86-64";
#endif
  static_cast<void>(vector_bits);
  return {};
}

SINTER_INLINE compiler::TranslationUnit unit_of(const schedule::Plan& plan) {
  compiler::TranslationUnit unit;
  const codegen::CppOptions options = options_of(plan);
  for (const schedule::Kernel& kernel : plan.kernels) {
    unit.kernels.push_back(codegen::emit_cpp(kernel, options));
  }
  unit.prelude = codegen::cpp_prelude(unit.kernels);
  unit.architecture = host_architecture_for(options.target.vectors.bits);
  const auto is_custom = [](const schedule::Kernel& kernel) {
    return kernel.custom != nullptr ||
           any_of(kernel.instructions, [](const auto& one) { return one.custom != nullptr; });
  };
  if (any_of(plan.kernels, is_custom)) unit.vectors = compiler::Vectors::by_compiler;
  unit.contraction = options.strict ? compiler::Contraction::off : compiler::Contraction::fast;
  if (lowering_probe != nullptr) lowering_probe->printed(unit);
  return unit;
}

// Sets the inputs of each launch whose packed copies its kernel keeps.
SINTER_INLINE void choose_packed_inputs(schedule::Plan& plan, const Tuner* tuner) {
  codegen::CppOptions options = options_of(plan);
  Vector<Vector<schedule::PackedInput>> packed;
  for (std::size_t i = 0; i < plan.kernels.size(); ++i) {
    if (tuner != nullptr) options.tuning = tuner->tunings()[i];
    const bool has_invariant = any_of(plan.kernels[i].arguments,
                                      [](const auto& argument) { return argument.call_invariant; });
    packed.emplace_back();
    if (has_invariant) packed.back() = codegen::packed_inputs_of(plan.kernels[i], options);
  }
  for (schedule::Launch& launch : plan.launches) {
    if (launch.control >= 0) continue;
    launch.packed_inputs = packed[static_cast<std::size_t>(launch.kernel)];
    for (schedule::PackedInput& one : launch.packed_inputs) {
      const std::int32_t buffer = launch.buffers[static_cast<std::size_t>(one.input)];
      one.input = plan.buffers[static_cast<std::size_t>(buffer)].position;
    }
  }
}

SINTER_INLINE schedule::Plan plan_for_host(const Graph& graph, const LowerOptions& options) {
  const PhaseScope phase(CallPhase::plan);
  schedule::begin_dump();
  schedule::Options planning{.strict = options.numerics == Numerics::strict,
                             .updates = options.updates,
                             .row_tiles = true,
                             .target = machine_target()};
  if (lowering_probe != nullptr) lowering_probe->planning(planning);
  schedule::Plan plan = plan_within(options.memory_bytes, graph, planning);
  if (lowering_probe != nullptr) lowering_probe->planned(plan);
  schedule::mark_call_invariant(plan, options.updates);
  if (verifies()) verify(plan);
  if (log_enabled(Log::memory)) log(Log::memory, runtime::memory_text(plan));
  return plan;
}

SINTER_INLINE LoweredProgram lower_for_host(const Graph& recorded, const LowerOptions& options) {
  const bool strict = options.numerics == Numerics::strict;
  const pass::Options passes{.strict = strict, .wide_products = strict};
  const CustomStages& custom = custom_stages();
  Graph graph = pass::optimize(
      custom.resolve == nullptr ? recorded : custom.resolve(recorded, false), passes);
  if (program_rewrite() != nullptr) graph = program_rewrite()(std::move(graph));
  if (verifies()) verify(graph);
  if (log_enabled(Log::graph)) log(Log::graph, text("after the passes\n", graph));
  schedule::Plan plan = plan_for_host(graph, options);
  const PhaseScope phase(CallPhase::emit);
  compiler::TranslationUnit unit = unit_of(plan);
  auto tuner = tuner_of(plan, unit, options, make_shared_ptr<const HostTuning>(options_of(plan)));
  choose_packed_inputs(plan, tuner.get());
  if (log_enabled(Log::code)) {
    for (const Source& source : unit.kernels) log(Log::code, text(source.name, "\n", source.text));
  }
  dump(recorded, graph, plan, unit);
  auto module = custom.load_or_compile == nullptr ? compiler::load_or_compile(unit)
                                                  : custom.load_or_compile(plan, unit);
  if (module == nullptr) return interpreted_program(pass::optimize(recorded, passes), cpu());
  const compiler::CompileStats work = module->work();
  auto executable = make_unique_ptr<runtime::Executable>(std::move(plan), std::move(module));
  return {make_shared_ptr<const Program>(std::move(graph), std::move(executable),
                                         std::move(unit.kernels), std::move(tuner)),
          {},
          work};
}

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::jit
