#pragma once
// What is thrown when data is at fault: the same by the interpreter and by compiled code.

#include <cstdint>  // std::int64_t

#include <sinter/base/dtype.hpp>
#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/op.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// Throws IndexError: `index`, at the row-major `position` among the indices of `op`, is not in
/// -bound <= index < bound; or, if it was refused (fault.hpp), was not in 0 <= index < bound.
[[noreturn]] void throw_out_of_range(Op op, std::int64_t index, std::int64_t bound,
                                     std::int64_t position, Where where);

/// Throws ValueError: the right operand of `op`, of integers, is 0 at the row-major `position`.
[[noreturn]] void throw_division_by_zero(Op op, DType dtype, std::int64_t position, Where where);

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/interpreter/data_error.ipp>
#endif
