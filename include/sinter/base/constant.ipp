#pragma once

#include <sinter/base/constant.hpp>
#include <sinter/base/text.hpp>

namespace sinter::inline SINTER_ABI::detail {

template <class T>
Constant converted(T value, DType dtype) {
  return visit_dtype(dtype, [&]<class To>(To) {
    const To element = convert_element<To>(value);
    if (is_floating(dtype)) {
      return Constant{dtype, std::bit_cast<std::uint64_t>(static_cast<double>(element))};
    }
    return Constant{dtype, static_cast<std::uint64_t>(static_cast<std::int64_t>(element))};
  });
}
SINTER_INLINE Constant constant(double value, DType dtype) { return converted(value, dtype); }
SINTER_INLINE Constant constant(std::int64_t value, DType dtype) { return converted(value, dtype); }
SINTER_INLINE Constant constant(std::uint64_t value, DType dtype) {
  return converted(value, dtype);
}

SINTER_INLINE Constant cast(const Constant& from, DType dtype) {
  return is_floating(from.dtype) ? constant(from.floating(), dtype)
                                 : constant(from.integer(), dtype);
}

SINTER_INLINE std::string to_string(const Constant& number) {
  if (number.dtype == boolean) return text(number.bits != 0);
  if (!is_floating(number.dtype)) return text(number.integer());
  if (number.dtype == f64) return text(number.floating());
  return text(static_cast<float>(number.floating()));
}

}  // namespace sinter::inline SINTER_ABI::detail
