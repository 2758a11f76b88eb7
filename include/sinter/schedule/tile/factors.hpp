#pragma once
// What the factors of a product are read along.

#include <cstdint>  // std::int32_t
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

/// Whether what `value` is computed from is read along the loop over `variable`.
bool goes_along(const Kernel& kernel, ValueId value, Extent variable);

/// Whether `value` is computed from elements of `argument`.
bool is_made_of(const Kernel& kernel, ValueId value, std::int32_t argument);

/// The factors of `kernel`, a product: what is multiplied before it is summed.
std::vector<ValueId> factors_of(const Kernel& kernel);

/// Whether the loop over `row` is one of the columns of `kernel`, a product: one factor alone goes
/// along it, which goes along the last loop of the grid as well.
bool is_column(const Kernel& kernel, Extent row);

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/tile/factors.ipp>
#endif
