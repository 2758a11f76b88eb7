#pragma once
// Whether sinter checks its own products, and what its caches share.

#include <sinter/base/env.hpp>
#include <sinter/base/error.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/base/text.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// True if products are to be verified between the stages: SINTER_VERIFY=1, as in the tests.
inline bool verifies() {
  static const bool on = env_flag(Env::verify);
  return on;
}

/// What every cache asserts under SINTER_VERIFY that shares something by a hash: the hash of all
/// that matters of what is shared is that of what was asked for. What was kept without
/// SINTER_VERIFY has none. Throws InternalError, of which `what` is the text.
template <class... Parts>
void require_shared(const Hash& shared, const Hash& asked, const Parts&... what) {
  if (shared != Hash{} && shared != asked) throw InternalError(text(what...));
}

}  // namespace sinter::inline SINTER_ABI::detail
