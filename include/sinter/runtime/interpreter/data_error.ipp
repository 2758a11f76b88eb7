#pragma once

#include <sinter/base/error.hpp>
#include <sinter/base/fault.hpp>
#include <sinter/base/text.hpp>
#include <sinter/runtime/interpreter/data_error.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

[[noreturn]] SINTER_INLINE void throw_out_of_range(Op op, std::int64_t index, std::int64_t bound,
                                                   std::int64_t position, Where where) {
  constexpr std::int64_t far = refused_index / 2;
  const bool is_refused = index < -far && index > -far - refused_index;
  if (is_refused) index += refused_index;
  throw IndexError({.op = to_string(op),
                    .what = "index out of range",
                    .facts = {{"index", text(index, ", at the row-major position ", position)},
                              {"bound", text(bound)}},
                    .rule = text(is_refused ? 0 : -bound, " <= index < ", bound),
                    .fix = "check how the indices are computed; a loss uses classes as indices",
                    .where = where,
                    .see = "indexing"});
}

[[noreturn]] SINTER_INLINE void throw_division_by_zero(Op op, DType dtype, std::int64_t position,
                                                       Where where) {
  throw ValueError(
      {.op = to_string(op),
       .what = "integer division by zero",
       .facts = {{"rhs", text("0 at the row-major position ", position, ", dtype ", dtype)}},
       .rule = "rhs != 0",
       .fix = "divide by where(rhs == 0, 1, rhs), or by a floating dtype",
       .where = where});
}

SINTER_INLINE void throw_custom_wrote(std::string_view name, bool is_operand, std::int64_t number,
                                      bool outside, Where where) {
  throw ValueError({.op = name,
                    .what = outside ? "a kernel of the user writes outside of its memory"
                                    : "a kernel of the user writes to an operand",
                    .facts = {{outside ? "around" : "changed",
                               text(is_operand ? "operand " : "result ", number)}},
                    .rule = "it writes the elements of its results, and nothing else",
                    .fix = "compare its loops with the sizes that it gets",
                    .where = where,
                    .see = "custom-operations"});
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
