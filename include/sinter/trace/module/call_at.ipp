#pragma once

#include <sinter/base/error.hpp>
#include <sinter/trace/module/call_at.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE void throw_no_function(Where where) {
  throw ValueError({.op = "call",
                    .what = "there is no function",
                    .rule = "a std::function holds one, and a pointer points to one",
                    .fix = "assign it before the call",
                    .where = where});
}

}  // namespace sinter::inline SINTER_ABI::detail
