#pragma once

#include <sinter/graph/print.hpp>
#include <sinter/jit/lower/dump.hpp>
#include <sinter/schedule/stage.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

SINTER_INLINE void dump(const Graph& recorded, const Graph& optimized, const schedule::Plan& plan,
                        const compiler::TranslationUnit& unit) {
  if (!schedule::dumps()) return;
  schedule::dump("graph.txt", to_string(recorded));
  schedule::dump("optimized.txt", to_string(optimized));
  schedule::dump("plan.txt", to_string(plan));
  const bool is_cuda = unit.language == Language::cuda;
  schedule::dump(is_cuda ? "kernels.cu" : "kernels.cpp", assemble(unit).text);
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
