#pragma once
// Errors for faulty data; the interpreter and compiled code throw the same ones.

#include <cstdint>  // std::int64_t

#include <sinter/base/dtype.hpp>
#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/op.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// Throws IndexError: `index`, at the row-major `position` among the indices of `op`, is outside of
/// -bound <= index < bound, or outside of 0 <= index < bound if it is a refused index (fault.hpp).
[[noreturn]] void throw_out_of_range(Op op, std::int64_t index, std::int64_t bound,
                                     std::int64_t position, Where where);

/// Throws ValueError: the integer right operand of `op` is 0 at the row-major `position`.
[[noreturn]] void throw_division_by_zero(Op op, DType dtype, std::int64_t position, Where where);

/// Throws ValueError: the kernel of the custom operation `name` wrote to an operand, or, with
/// `outside`, to the memory around an operand or a result, with this number.
[[noreturn]] void throw_custom_wrote(std::string_view name, bool is_operand, std::int64_t number,
                                     bool outside, Where where);

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/interpreter/data_error.ipp>
#endif
