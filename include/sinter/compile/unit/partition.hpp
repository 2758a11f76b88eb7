#pragma once
// Kernels taken apart for compilers that run at the same time.

#include <cstddef>  // std::size_t
#include <vector>   // std::vector

#include <sinter/compile/unit/translation_unit.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

/// The texts of `unit` for so many compilers as pay off, `max_runs` or fewer, with about as much to do
/// for each. A long function of the prelude that begins a line with "static
/// __attribute__((noinline))" is compiled by one of them only: the others declare it, and what they
/// make has to be linked together. No two functions of the texts have the same name.
std::vector<UnitText> split_into_runs(const TranslationUnit& unit, std::size_t max_runs);

}  // namespace sinter::inline SINTER_ABI::detail::compiler

#ifdef SINTER_DEFINITIONS
#include <sinter/compile/unit/partition.ipp>
#endif
