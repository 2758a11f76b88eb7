#pragma once

#include <sinter/jit/rewrite/program_rewrite.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

SINTER_INLINE ProgramRewrite& program_rewrite() {
  static ProgramRewrite rewrite = nullptr;
  return rewrite;
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
