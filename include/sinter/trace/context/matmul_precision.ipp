#pragma once

#include <atomic>  // std::atomic

#include <sinter/base/error.hpp>
#include <sinter/trace/context/matmul_precision.hpp>
#include <sinter/trace/core/recorder_scope.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

SINTER_INLINE std::atomic<MatmulPrecision>& matmul_precision() {
  static std::atomic<MatmulPrecision> instance{MatmulPrecision::highest};
  return instance;
}

}  // namespace detail

SINTER_INLINE std::string to_string(MatmulPrecision precision) {
  switch (precision) {
    case MatmulPrecision::highest:
      return "highest";
    case MatmulPrecision::high:
      return "high";
    case MatmulPrecision::medium:
      return "medium";
  }
  throw InternalError("an unknown precision of products");
}

SINTER_INLINE void set_float32_matmul_precision(MatmulPrecision precision, Where where) {
  if (is_recording()) {
    throw ValueError({.op = "set_float32_matmul_precision",
                      .what = "a compiled function sets the precision of products",
                      .rule = "a recording would set it once, not on every call",
                      .fix = "set it before the call",
                      .where = where,
                      .see = "matmul"});
  }
  detail::matmul_precision().store(precision, std::memory_order_relaxed);
}

SINTER_INLINE void set_float32_matmul_precision(std::string_view precision, Where where) {
  for (const auto one :
       {MatmulPrecision::highest, MatmulPrecision::high, MatmulPrecision::medium}) {
    if (precision == to_string(one)) return set_float32_matmul_precision(one, where);
  }
  throw ValueError({.op = "set_float32_matmul_precision",
                    .what = "there is no such precision",
                    .facts = {{"precision", detail::text("\"", precision, "\"")}},
                    .rule = "precision is \"highest\", \"high\" or \"medium\"",
                    .fix = "set_float32_matmul_precision(\"high\")",
                    .where = where,
                    .see = "matmul"});
}

SINTER_INLINE MatmulPrecision get_float32_matmul_precision() {
  return detail::matmul_precision().load(std::memory_order_relaxed);
}

}  // namespace sinter::inline SINTER_ABI
