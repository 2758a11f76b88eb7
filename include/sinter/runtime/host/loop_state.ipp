#pragma once

#include <sinter/runtime/host/loop_state.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

SINTER_INLINE std::vector<std::int64_t> sizes_of(const schedule::Control& control,
                                                 Span<const std::int64_t> symbols) {
  std::vector<std::int64_t> result;
  for (const Extent& bytes : control.bytes) result.push_back(evaluate(bytes, symbols));
  return result;
}

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::runtime
