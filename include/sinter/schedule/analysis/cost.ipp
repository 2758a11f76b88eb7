#pragma once

#include <sinter/schedule/analysis/cost.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

SINTER_INLINE std::int64_t operations_of(Op op) {
  switch (op) {
    case Op::exp:
    case Op::expm1:
    case Op::log:
    case Op::log1p:
    case Op::sin:
    case Op::cos:
    case Op::tan:
    case Op::tanh:
    case Op::atan:
    case Op::erf:
    case Op::pow:
      return operations_of_function;
    default:
      return 1;
  }
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
