#pragma once
// Reads and sets how tensors are divided among processes.

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// How `x` is divided; null if it is not.
const Division* division_of(const Tensor& x);

/// Sets how `x` is divided; null for not at all. Other marks stay.
void set_division(Tensor& x, const Division* division);

/// `x`, or the whole of it if it is a part.
Tensor whole_of(const Tensor& x, Where where);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/context/division.ipp>
#endif
