#pragma once
// Which sizes of a function's arguments vary, kept with the disk cache.
//
// The next process compiles for any size at once, where this one had to see another size first.

#include <compare>      // operator<=>
#include <cstdint>      // std::uint32_t
#include <span>         // std::span
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <vector>       // std::vector

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

/// The function that was compiled at `where`, under `name`, for arguments with these leaves, each
/// described with all that its sizes are not. The same in every process of this program, wherever
/// it lies; one that was built anew is another program, whose lines mean something else.
Hash function_key(Where where, std::string_view name, std::span<const std::string> leaves);

/// What was remembered of `function`: nothing if there is no such entry, or a damaged one.
std::vector<VaryingSize> known_varying(const Hash& function);

/// Remembers `sizes`, and what was known before. Where nothing can be written, nothing is.
void remember_varying(const Hash& function, std::span<const VaryingSize> sizes);

/// Whether anything is remembered or known, in this process; gives what was said before. Tests that
/// count recordings say false: they are not to depend on the run before.
bool keep_varying(bool keep);

}  // namespace sinter::inline SINTER_ABI::detail::compiler

#ifdef SINTER_DEFINITIONS
#include <sinter/compile/cache/varying_sizes.ipp>
#endif
