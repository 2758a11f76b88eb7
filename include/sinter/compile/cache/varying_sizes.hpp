#pragma once
// Records which sizes of a function's arguments vary, in the disk cache, so that later processes
// compile with dynamic sizes from the first call on.

#include <compare>      // operator<=>
#include <cstdint>      // std::uint32_t
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/base/where.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

/// Dimension `dim` of the leaf number `leaf` of the arguments.
struct VaryingSize {
  std::uint32_t leaf = 0;
  std::uint32_t dim = 0;
  auto operator<=>(const VaryingSize&) const = default;
};

/// The key of the function compiled at `where`, under `name`, for arguments with these leaves,
/// which are described without their sizes. It is the same in every process of this program, in any
/// directory, but changes when the program is rebuilt, because lines may then mean something else.
Hash function_key(Where where, std::string_view name, Span<const std::string> leaves);

/// The recorded varying sizes of `function`; empty if there is no valid record.
Vector<VaryingSize> known_varying(const Hash& function);

/// Adds `sizes` to the record of `function`. A failed write is ignored.
void remember_varying(const Hash& function, Span<const VaryingSize> sizes);

/// Enables or disables these records in this process; returns the previous setting. Tests that
/// count recordings disable them, so as not to depend on earlier runs.
bool keep_varying(bool keep);

}  // namespace sinter::inline SINTER_ABI::detail::compiler

#ifdef SINTER_DEFINITIONS
#include <sinter/compile/cache/varying_sizes.ipp>
#endif
