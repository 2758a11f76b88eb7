#pragma once
// The factors of a product, and the loops that they depend on.

#include <cstdint>  // std::int32_t

#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

/// Whether `value` is computed from elements of `argument`.
bool depends_on_argument(const Kernel& kernel, ValueId value, std::int32_t argument);

/// The factors of `kernel`, a product: the operands of the multiplication that is summed.
Vector<ValueId> factors_of(const Kernel& kernel);

/// Whether the loop over `row` is one of the columns of `kernel`, a product: it is if one factor
/// alone depends on it, and that factor also depends on the last loop of the grid.
bool is_column_loop(const Kernel& kernel, Extent row);

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/tile/factors.ipp>
#endif
