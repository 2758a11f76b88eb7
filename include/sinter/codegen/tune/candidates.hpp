#pragma once
// Tuning candidates of a host kernel: a small neighbourhood of the choice of the cost model.

#include <string>  // std::string

#include <sinter/base/container/hash_map.hpp>
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

/// The sources that emit(options with tuning) gives for `tunings`, but those for which
/// write(options with tuning) gives `usual`, the text without tuning, or a text that it gave
/// before.
template <class Options, class Write, class Emit>
Vector<Candidate> distinct_candidates(const Options& options, const Vector<Tuning>& tunings,
                                      const std::string& usual, const Write& write,
                                      const Emit& emit) {
  Vector<Candidate> result;
  HashSet<std::string> texts{usual};
  for (const Tuning& tuning : tunings) {
    Options tuned = options;
    tuned.tuning = tuning;
    if (texts.insert(write(tuned)).second) result.push_back({tuning, emit(tuned)});
  }
  return result;
}

/// Versions of `kernel` whose text differs from that of `options` and from one another. All compute
/// the same; with `strict`, the same bits.
Vector<Candidate> candidates(const schedule::Kernel& kernel, const CppOptions& options);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/tune/candidates.ipp>
#endif
