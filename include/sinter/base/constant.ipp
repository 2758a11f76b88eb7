#pragma once

#include <sinter/base/constant.hpp>
#include <sinter/base/text.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE std::string to_string(const Constant& number) {
  if (number.dtype == boolean) return text(number.bits != 0);
  if (!is_floating(number.dtype)) return text(number.integer());
  if (number.dtype == f64) return text(number.floating());
  return text(static_cast<float>(number.floating()));
}

}  // namespace sinter::inline SINTER_ABI::detail
