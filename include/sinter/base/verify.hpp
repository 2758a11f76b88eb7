#pragma once
// SINTER_VERIFY: checks of graphs and plans between stages, and of shared cache entries.

#include <sinter/base/env.hpp>
#include <sinter/base/error.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/base/text.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// True if every stage verifies its result: SINTER_VERIFY=1, as in the tests.
inline bool verifies() {
  static const bool on = env_flag(Env::verify);
  return on;
}

/// Every cache that shares entries by a hash calls this under SINTER_VERIFY. `shared` and `asked`
/// are complete hashes of the entry and of the request; `shared` is zero for entries that were made
/// without SINTER_VERIFY. Throws InternalError with the text `what` if they differ.
template <class... Parts>
void require_shared(const Hash& shared, const Hash& asked, const Parts&... what) {
  if (shared != Hash{} && shared != asked) throw InternalError(text(what...));
}

}  // namespace sinter::inline SINTER_ABI::detail
