#pragma once
// Kernels that leave most of what they write as it is, made to run only where they change it.

#include <cstdint>  // std::int32_t

#include <sinter/config.hpp>
#include <sinter/schedule/lower/kernels.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// True if `store` of `lowered` stores, where a condition does not hold, the element of argument
/// `input` that is there, and it is known which points of the grid are the others: those where one
/// loop has a certain value, or goes over a part of its range. Then `lowered` runs only these.
/// It has one store and no scratch memory, and what can fault elsewhere is no longer checked.
bool narrow(Lowered& lowered, ValueId store, std::int32_t input);

/// A kernel that checks what can fault of `lowered`, which has no scratch memory, and writes
/// nothing.
Lowered checks_of(const Lowered& lowered);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/launch/sparse_update.ipp>
#endif
