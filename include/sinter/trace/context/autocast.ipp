#pragma once

#include <utility>  // std::exchange

#include <sinter/trace/context/autocast.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

SINTER_INLINE std::optional<DType>& autocast_mode() {
  static thread_local std::optional<DType> mode;
  return mode;
}

SINTER_INLINE bool is_short(DType dtype) { return dtype == f16 || dtype == bf16; }

SINTER_INLINE DType autocast_product(DType dtype) {
  const std::optional<DType> mode = autocast_mode();
  return mode && (dtype == f32 || is_short(dtype)) ? *mode : dtype;
}

SINTER_INLINE bool autocast_widens(DType dtype) { return autocast_mode() && is_short(dtype); }

SINTER_INLINE std::optional<DType> autocast_dtype() { return detail::autocast_mode(); }

}  // namespace detail

namespace amp {

SINTER_INLINE ScopedAutocast::ScopedAutocast(DType dtype, Device, Where where) {
  if (dtype != f32 && !detail::is_short(dtype)) {
    throw DTypeError({.op = "ScopedAutocast",
                      .what = "autocast does not support this dtype",
                      .facts = {{"dtype", to_string(dtype)}},
                      .rule = "dtype is bf16 or f16, or f32 to turn it off",
                      .fix = "amp::ScopedAutocast scope(bf16)",
                      .where = where,
                      .see = "dtypes"});
  }
  const std::optional<DType> mode = dtype == f32 ? std::nullopt : std::optional(dtype);
  outer_ = std::exchange(detail::autocast_mode(), mode);
}

SINTER_INLINE ScopedAutocast::~ScopedAutocast() { detail::autocast_mode() = outer_; }

}  // namespace amp

}  // namespace sinter::inline SINTER_ABI
