#pragma once
// Inside of sinter::detail, operators are found by the types of their operands only. The
// declaration of any operator in a namespace hides those of the namespaces around it. Without
// these, the compiler would try every operator of tensors, sizes and typed expressions, which are
// templates and conversions, at each comparison of two enumerators or texts.

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// Cannot be created: nothing calls these operators.
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
void operator%(NoValue, NoValue);
void operator&(NoValue, NoValue);
void operator|(NoValue, NoValue);
void operator^(NoValue, NoValue);

}  // namespace sinter::inline SINTER_ABI::detail
