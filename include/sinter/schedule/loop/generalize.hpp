#pragma once
// Kernels in terms of sizes instead of numbers, so that those over other extents have one text.

#include <optional>  // std::optional
#include <vector>    // std::vector

#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// A kernel, and what its symbols are in terms of those of the kernel that it was made of.
struct Generalized {
  Kernel kernel{};
  std::vector<Extent> sizes{};  ///< For each symbol of the kernel.
  bool is_free = false;         ///< Its symbols are the extents of its loops, each a symbol.
};

/// `kernel`, whose variables are numbered as rename_variables() does, with a symbol for the extent
/// of each loop, and for what is made of these extents; nothing if that would be another kernel or
/// if the kernel is no plain nest of at most two loops. With `narrow`, what is over few enough
/// elements to be counted in 32 bits says so of its symbols.
std::optional<Generalized> generalize(const Kernel& kernel, bool narrow = false);

/// `kernel`, of which all symbols are extents of loops, where each of them is 1.
Kernel at_one_point(const Kernel& kernel);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/loop/generalize.ipp>
#endif
