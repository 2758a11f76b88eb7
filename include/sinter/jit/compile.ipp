#pragma once

#include <cstdio>  // std::fputs

#include <sinter/jit/compile.hpp>

namespace sinter::inline SINTER_ABI {

SINTER_INLINE void print(const Explanation& explanation) {
  std::fputs(to_string(explanation).c_str(), stdout);
}

}  // namespace sinter::inline SINTER_ABI
