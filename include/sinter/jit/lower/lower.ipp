#pragma once

#include <sinter/base/log.hpp>
#include <sinter/graph/canonical.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/graph/verify.hpp>
#include <sinter/jit/lower/cuda.hpp>
#include <sinter/jit/lower/host.hpp>
#include <sinter/jit/lower/lower.hpp>
#include <sinter/jit/lower/parts.hpp>
#include <sinter/jit/lower/program_cache.hpp>
#include <sinter/pass/pipeline.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

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

}  // namespace sinter::inline SINTER_ABI::detail::jit
