#pragma once

#include <sinter/base/env.hpp>
#include <sinter/base/text.hpp>
#include <sinter/graph/custom/custom_code.hpp>

namespace sinter::inline SINTER_ABI {

SINTER_INLINE std::string detail::user_function_name(const CustomCode& code) {
  return text("user_", to_string(code.text_hash).substr(0, 8));
}

SINTER_INLINE bool& detail::checks_custom() {
  static bool checks = env_flag(Env::check);
  return checks;
}

}  // namespace sinter::inline SINTER_ABI
