#pragma once
// Simplifies sums over a one-hot mask: sum(where(arange(n) == i, x, 0)) is x[i].

#include <sinter/config.hpp>
#include <sinter/schedule/lower/kernel_builder.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

/// The sum of `id` over the loop along `rows` in `slot`, if at most one term is not 0; -1 if that
/// is not known.
ValueId one_hot_sum(KernelBuilder& builder, const Index& rows, ValueId id, Slot slot);

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/lower/one_hot_sum.ipp>
#endif
