#pragma once
// Splits a translation unit for parallel compiler runs.

#include <cstddef>  // std::size_t

#include <sinter/base/container/vector.hpp>
#include <sinter/compile/unit/translation_unit.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

/// Splits `unit` into at most `max_runs` texts of similar length, fewer if the text is short. One
/// run compiles each long prelude function that begins a line with "static
/// __attribute__((noinline))"; the others declare it, so the outputs have to be linked together.
/// All function names are distinct.
Vector<UnitText> split_into_runs(const TranslationUnit& unit, std::size_t max_runs);

}  // namespace sinter::inline SINTER_ABI::detail::compiler

#ifdef SINTER_DEFINITIONS
#include <sinter/compile/unit/partition.ipp>
#endif
