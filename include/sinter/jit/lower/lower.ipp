#pragma once

#include <sinter/base/log.hpp>
#include <sinter/graph/canonical.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/graph/verify.hpp>
#include <sinter/jit/lower/host.hpp>
#include <sinter/jit/lower/lower.hpp>
#include <sinter/jit/lower/lowering_probe.hpp>
#include <sinter/jit/lower/partition.hpp>
#include <sinter/jit/lower/program_cache.hpp>
#include <sinter/pass/pipeline.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

SINTER_INLINE LoweredProgram lower_uncached(const Graph& graph, const LowerOptions& options) {
  if (verifies()) verify(graph);
  if (needs_partition(graph, options)) return lower_partitions(graph, options);
  if (log_enabled(Log::graph)) log(Log::graph, text("recorded\n", graph));
  if (options.custom != nullptr) return options.custom->lower(graph, options);
  if (options.backend == Backend::eager) return interpreted_program(graph, options.device);
  if (options.backend == Backend::aot_eager) {
    return interpreted_program(
        pass::optimize(graph, {.strict = options.numerics == Numerics::strict}), options.device);
  }
  // Without GPUs, program_key() has refused.
  return options.device.is_cpu() ? lower_for_host(graph, options) : gpu_lowering()(graph, options);
}

SINTER_INLINE LoweredProgram lower_probed(const Graph& graph, const LowerOptions& options) {
  CanonicalHash key = program_key(graph, options);
  LoweringProbe* const probe = lowering_probe;
  probe->begins(graph, options);
  LoweredProgram result = lower_uncached(with_canonical_symbols(graph, key.symbols), options);
  result.symbols = std::move(key.symbols);
  probe->lowered(result);
  return result;
}

}  // namespace detail

SINTER_INLINE GpuLowering& gpu_lowering() {
  static GpuLowering lowering = nullptr;
  return lowering;
}

SINTER_INLINE LoweredProgram lower(const Graph& graph, const LowerOptions& options) {
  if (lowering_probe != nullptr) return detail::lower_probed(graph, options);
  CanonicalHash key = detail::program_key(graph, options);
  if (options.custom != nullptr) {  // the backend sees every graph of every function
    LoweredProgram result =
        detail::lower_uncached(with_canonical_symbols(graph, key.symbols), options);
    result.symbols = std::move(key.symbols);
    return result;
  }
  if (auto known = detail::find_program(key, graph)) {
    return {std::move(known), std::move(key.symbols), {}};
  }
  const Graph canonical = with_canonical_symbols(graph, key.symbols);
  LoweredProgram result = detail::lower_uncached(canonical, options);
  result.symbols = std::move(key.symbols);
  const bool lacks_compiler = options.backend == Backend::fused && result.program->is_interpreted();
  if (lacks_compiler) return result;  // there may be one, or a stored kernel, the next time
  result.program = detail::keep_program(key.hash, canonical, std::move(result.program));
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
