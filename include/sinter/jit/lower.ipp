#pragma once

#include <cstring>  // std::memcpy

#include <sinter/base/env.hpp>
#include <sinter/base/error.hpp>
#include <sinter/base/log.hpp>
#include <sinter/codegen/blocks.hpp>
#include <sinter/codegen/cpp.hpp>
#include <sinter/compile/cache.hpp>
#include <sinter/device/cuda.hpp>
#include <sinter/graph/canonical.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/graph/verify.hpp>
#include <sinter/jit/dump.hpp>
#include <sinter/jit/fingerprint.hpp>
#include <sinter/jit/host_target.hpp>
#include <sinter/jit/host_tuning.hpp>
#include <sinter/jit/lower.hpp>
#include <sinter/jit/lower_shared.ipp>
#include <sinter/jit/parts.hpp>
#include <sinter/pass/pipeline.hpp>
#include <sinter/runtime/interpreter.hpp>
#include <sinter/runtime/plan_memory.hpp>
#include <sinter/schedule/steady.hpp>
#include <sinter/symbol/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

// What texts are written for: this machine.
SINTER_INLINE codegen::CppOptions host_options(bool strict) {
  return {.vector_bits = host_vector_bits(),
          .strict = strict,
          .multiplies_pairs = host_vector_bits() == 512 && host_multiplies_pairs(),
          .multiplies_squares = host_vector_bits() == 512 && host_multiplies_squares()};
}

// A machine whose vectors are as wide as SINTER_VECTOR_BITS asks for; this one if it does not.
SINTER_INLINE std::string host_architecture_for(int vector_bits) {
#ifdef __x86_64__
  const bool asks = !env(Env::vector_bits).empty() && vector_bits != 512;
  if (asks) return vector_bits == 256 ? "x86-64-v3" : "x86-64";
#endif
  static_cast<void>(vector_bits);
  return {};
}

SINTER_INLINE compiler::TranslationUnit unit_of(const schedule::Plan& plan, bool strict) {
  compiler::TranslationUnit unit;
  const codegen::CppOptions options = host_options(strict);
  for (const schedule::Kernel& kernel : plan.kernels) {
    unit.kernels.push_back(codegen::emit_cpp(kernel, options));
  }
  unit.prelude = codegen::cpp_prelude(unit.kernels);
  unit.fingerprint = generator_fingerprint;
  unit.architecture = host_architecture_for(options.vector_bits);
  unit.contraction = strict ? compiler::Contraction::off : compiler::Contraction::fast;
  return unit;
}

SINTER_INLINE std::shared_ptr<Tuner> tuner_of(const schedule::Plan& plan,
                                              compiler::TranslationUnit& unit,
                                              const LowerOptions& options,
                                              std::shared_ptr<const TuningTarget> target) {
  if (!options.tunes) return nullptr;
  return std::make_shared<Tuner>(plan, unit,
                                 TunerOptions{.target = std::move(target),
                                              .seconds = options.tuning_seconds,
                                              .later = options.tunes_later});
}

// Says of each launch what its kernel keeps of an input.
SINTER_INLINE void keep_panels(schedule::Plan& plan, bool strict, const Tuner* tuner) {
  codegen::CppOptions options = host_options(strict);
  std::vector<std::vector<schedule::Kept>> kept;
  for (std::size_t i = 0; i < plan.kernels.size(); ++i) {
    if (tuner != nullptr) options.tuning = tuner->tunings()[i];
    kept.push_back(codegen::kept_by(plan.kernels[i], options));
  }
  for (schedule::Launch& launch : plan.launches) {
    if (launch.control >= 0) continue;
    launch.kept = kept[static_cast<std::size_t>(launch.kernel)];
    for (schedule::Kept& one : launch.kept) {
      const std::int32_t buffer = launch.buffers[static_cast<std::size_t>(one.input)];
      one.input = plan.buffers[static_cast<std::size_t>(buffer)].position;
    }
  }
}

SINTER_INLINE Lowered compiled_for_gpu(const Graph& recorded, const LowerOptions& options);

SINTER_INLINE Lowered interpreted(Graph graph, Device device) {
  using OnGpu = std::unique_ptr<runtime::CudaExecutable>;
  return {
      std::make_shared<const Program>(std::move(graph), OnGpu(), std::vector<Source>{}, device)};
}

SINTER_INLINE Lowered compiled(const Graph& recorded, const LowerOptions& options) {
  const bool strict = options.numerics == Numerics::strict;
  Graph graph = pass::optimize(recorded, {.strict = strict, .wide_products = strict});
  if (verifies()) verify(graph);
  log(Log::graph, text("after the passes\n", graph));
  schedule::Plan plan = schedule::plan(
      graph, {.strict = strict, .updates = options.updates, .blocks = true, .host = true});
  schedule::mark_steady(plan, options.updates);
  if (verifies()) verify(plan);
  if (log_enabled(Log::memory)) log(Log::memory, runtime::memory_text(plan));
  compiler::TranslationUnit unit = unit_of(plan, strict);
  auto tuner =
      tuner_of(plan, unit, options, std::make_shared<const HostTuning>(host_options(strict)));
  keep_panels(plan, strict, tuner.get());
  for (const Source& source : unit.kernels) log(Log::code, text(source.name, "\n", source.text));
  dump(recorded, graph, plan, unit);
  auto module = compiler::load_or_compile(unit);
  if (module == nullptr) return interpreted(std::move(graph), cpu());
  const compiler::Work work = module->work();
  auto executable = std::make_unique<runtime::Executable>(std::move(plan), std::move(module));
  return {std::make_shared<const Program>(std::move(graph), std::move(executable),
                                          std::move(unit.kernels), std::move(tuner)),
          {},
          work};
}

SINTER_INLINE Lowered lower_anew(const Graph& graph, const LowerOptions& options) {
  if (verifies()) verify(graph);
  if (has_parts(graph, options)) return lower_parts(graph, options);
  log(Log::graph, text("recorded\n", graph));
  if (options.backend == Backend::eager) return interpreted(graph, options.device);
  if (options.backend == Backend::aot_eager) {
    return interpreted(pass::optimize(graph, {.strict = options.numerics == Numerics::strict}),
                       options.device);
  }
  return options.device.is_cpu() ? compiled(graph, options) : compiled_for_gpu(graph, options);
}

}  // namespace detail

SINTER_INLINE Lowered lower(const Graph& graph, const LowerOptions& options) {
  CanonicalHash key = detail::program_key(graph, options);
  if (auto known = detail::find_program(key, graph)) {
    return {std::move(known), std::move(key.symbols), {}};
  }
  const Graph canonical = with_canonical_symbols(graph, key.symbols);
  Lowered result = detail::lower_anew(canonical, options);
  result.symbols = std::move(key.symbols);
  const bool lacks_compiler = options.backend == Backend::fused && result.program->is_interpreted();
  if (lacks_compiler) return result;  // there may be one, or a stored kernel, the next time
  result.program = detail::keep_program(key.hash, canonical, std::move(result.program));
  return result;
}

SINTER_INLINE void Program::run(std::span<void* const> inputs, std::span<void* const> outputs,
                                std::span<const std::int64_t> symbols, Where where,
                                std::span<const Storage* const> kept_from) const {
  if (parts_ != nullptr) return run_parts(inputs, outputs, symbols, where, kept_from);
  if (device_.is_cuda()) {
    if (first_.on_gpu == nullptr) return interpret_for_gpu(inputs, outputs, symbols, where);
    if (tuner_ != nullptr && tuner_->take_turn()) tune({inputs, symbols, kept_from});
    return present().on_gpu->run(inputs, outputs, symbols, where, kept_from);
  }
  if (executable() == nullptr) return interpret(inputs, outputs, symbols);
  if (tuner_ != nullptr && tuner_->take_turn()) tune({inputs, symbols, kept_from});
  executable()->run(inputs, outputs, symbols, where, kept_from);
}

SINTER_INLINE runtime::StreamReplays Program::take_graphs() const {
  runtime::StreamReplays result;
  for (const Build* const build : {&first_, &present()}) {
    if (build->on_gpu == nullptr) continue;
    for (auto& one : build->on_gpu->take_graphs()) result.push_back(std::move(one));
  }
  return result;
}

SINTER_INLINE std::span<const std::int32_t> Program::kept_inputs() const {
  if (first_.executable == nullptr) return all_inputs_;
  return first_.executable->kept_inputs();
}

SINTER_INLINE void Program::interpret(std::span<void* const> inputs, std::span<void* const> outputs,
                                      std::span<const std::int64_t> symbols) const {
  const auto bytes = [&](const TensorType& type) {
    return static_cast<std::size_t>(evaluate(numel(type.shape), symbols)) * info(type.dtype).size;
  };
  std::vector<Storage> borrowed;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const TensorType& type = graph_.type(graph_.inputs[i]);
    borrowed.push_back(Storage::borrow(inputs[i], bytes(type)));
  }
  const std::vector<Storage> results = runtime::interpret(graph_, borrowed, symbols);
  // Through copies of their own: an output may be given the memory of an input that is a result.
  std::vector<std::vector<std::byte>> copies;
  for (const Storage& result : results) {
    const auto* const first = static_cast<const std::byte*>(result.data());
    copies.emplace_back(first, first + result.bytes());
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::size_t size = bytes(graph_.type(graph_.outputs[i]));
    if (size != 0) std::memcpy(outputs[i], copies[i].data(), size);
  }
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
