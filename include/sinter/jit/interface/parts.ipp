#pragma once

#include <sinter/base/env.hpp>
#include <sinter/base/error.hpp>
#include <sinter/jit/interface/parts.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

SINTER_INLINE void throw_left_out(std::string_view asked) {
  throw ValueError({.op = asked,
                    .what = "this program was compiled without it",
                    .facts = {},
                    .rule = "in a header-only program <sinter/core.hpp> leaves it out",
                    .fix = "include <sinter/sinter.hpp>",
                    .where = {}});
}

SINTER_INLINE bool checks_numerics() {
  static const bool always = env(Env::check).find("nan") != std::string_view::npos;
  return always || numerics_checks().load(std::memory_order_relaxed) != 0;
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
