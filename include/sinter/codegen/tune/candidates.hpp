#pragma once
// Tuning candidates of a host kernel: a small neighbourhood of the choice of the cost model.

#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cpp/emit_cpp.hpp>
#include <sinter/codegen/cpp/nest/options.hpp>
#include <sinter/codegen/text/tuning.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// A version of a kernel, and the tuning that it was emitted with.
struct Candidate {
  Tuning tuning{};
  Source source{};
};

/// Versions of `kernel` whose text differs from that of `options` and from one another. All compute
/// the same; with `strict`, the same bits.
Vector<Candidate> candidates(const schedule::Kernel& kernel, const CppOptions& options);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/tune/candidates.ipp>
#endif
