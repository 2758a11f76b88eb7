#pragma once

#include <sinter/schedule/analysis/cost.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

SINTER_INLINE std::int64_t operations_of(Op op) {
  return is_function(op) ? operations_of_function : 1;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
