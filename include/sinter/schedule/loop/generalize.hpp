#pragma once
// Kernels with symbolic sizes instead of numbers, so that kernels over other extents share a text.

#include <vector>    // std::vector

#include <sinter/base/container/optional.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// A kernel with symbolic sizes, and their values in terms of the symbols of the original kernel.
struct Generalized {
  Kernel kernel{};
  std::vector<Extent> sizes{};  ///< For each symbol of the kernel.
  bool is_free = false;         ///< Each symbol is the extent of a loop, and each extent a symbol.
};

/// Whether a launch of `kernel` can be part of one with others: it neither runs serially, nor
/// sorts, combines, or can be at fault.
bool can_batch(const Kernel& kernel);

/// `kernel`, whose variables are numbered by rename_variables(), with a symbol for the extent of
/// each loop, and strides and sizes in terms of these. Nothing if the result would not be
/// equivalent, or if the kernel is no plain nest of at most two loops. With `bounded`, if all
/// elements can be indexed in 32 bits, the symbols have a bound that says so.
Optional<Generalized> generalize(const Kernel& kernel, bool bounded = false);

/// `kernel`, whose symbols are all extents of loops, with each of them set to 1.
Kernel at_one_point(const Kernel& kernel);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/loop/generalize.ipp>
#endif
