#pragma once
// Inside of sinter::detail, operators are found by the types of their operands only: an operator in
// a namespace hides those of the namespaces around it. Otherwise the compiler tries those of
// tensors and sizes, templates and conversions, wherever two enumerators are compared.

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// Cannot be created.
struct NoValue {
  NoValue() = delete;
};
void operator==(NoValue, NoValue);
void operator!=(NoValue, NoValue);
void operator<(NoValue, NoValue);
void operator<=(NoValue, NoValue);
void operator>(NoValue, NoValue);
void operator>=(NoValue, NoValue);
void operator+(NoValue, NoValue);
void operator-(NoValue, NoValue);
void operator*(NoValue, NoValue);
void operator/(NoValue, NoValue);

}  // namespace sinter::inline SINTER_ABI::detail
