#pragma once
// The ways to write a kernel among which timing decides: a small neighbourhood of what the cost
// model chooses.

#include <vector>  // std::vector

#include <sinter/codegen/cpp/emit_cpp.hpp>
#include <sinter/codegen/cpp/nest/options.hpp>
#include <sinter/codegen/text/tuning.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// A text of a kernel.
struct Candidate {
  Tuning tuning{};
  Source source{};
};

/// Other texts of `kernel` than that of `options`, no two of them the same. All compute what it
/// computes; strict ones the same bits.
std::vector<Candidate> candidates(const schedule::Kernel& kernel, const CppOptions& options);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/tune/candidates.ipp>
#endif
