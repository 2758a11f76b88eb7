#pragma once
// SINTER_DUMP=dir: writes the result of every stage of a compilation, for reading and bug reports.

#include <sinter/compile/unit/translation_unit.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// Writes NNN_graph.txt, NNN_optimized.txt, NNN_plan.txt and NNN_kernels.cpp (.cu for a GPU) into
/// the directory of SINTER_DUMP, if it is set, beside the products of the stages of the plan. NNN
/// counts the compilations of this process.
void dump(const Graph& recorded, const Graph& optimized, const schedule::Plan& plan,
          const compiler::TranslationUnit& unit);

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/lower/dump.ipp>
#endif
