#pragma once
// What is kept, with the disk cache, of the sizes that varied: a function that met other sizes in a
// process before is recorded for any size at once.

#include <span>         // std::span
#include <string_view>  // std::string_view

#include <sinter/base/hash.hpp>
#include <sinter/config.hpp>
#include <sinter/guard/leaves.hpp>
#include <sinter/jit/recording.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// The function that was compiled at `where` under `name`, called with leaves of these dtypes and
/// ranks: what varied belongs to it.
Hash varying_key(Where where, std::string_view name, std::span<const guard::Leaf> leaves);

/// The sizes that varied in a process before; none where none are known.
Varying varying_before(const Hash& key);

/// Keeps them for processes after this one.
void keep_for_later(const Hash& key, const Varying& varying);

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/varying.ipp>
#endif
