#pragma once

#include <sinter/base/error.hpp>
#include <sinter/symbol/arithmetic.hpp>

namespace sinter::inline SINTER_ABI {

SINTER_INLINE void throw_extent_overflow() {
  throw ValueError({.op = "extent",
                    .what = "a size does not fit in 63 bits",
                    .rule = "-2^62 <= size < 2^62",
                    .fix = "use smaller sizes: no device holds that many elements"});
}

}  // namespace sinter::inline SINTER_ABI
