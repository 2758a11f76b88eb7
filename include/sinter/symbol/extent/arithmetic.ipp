#pragma once

#include <sinter/base/error.hpp>
#include <sinter/symbol/extent/arithmetic.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE void throw_extent_overflow(std::string size, Where where) {
  throw ValueError({.op = "extent",
                    .what = "a size does not fit in 63 bits",
                    .facts = {{"size", std::move(size)}},
                    .rule = "-2^62 <= size < 2^62",
                    .fix = "use smaller sizes: no device holds that many elements",
                    .where = where});
}

}  // namespace sinter::inline SINTER_ABI::detail
