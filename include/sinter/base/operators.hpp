#pragma once
// Inside of sinter::detail, comparisons and + - * / are found by the types of their operands only:
// an operator in a namespace hides those of the namespaces around it. Otherwise the compiler tries
// those of tensors and sizes, templates and conversions, wherever two enumerators are compared.

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// Cannot be created, so no call needs a definition.
struct Nil {
  Nil() = delete;
};
void operator==(Nil, Nil);
void operator!=(Nil, Nil);
void operator<(Nil, Nil);
void operator<=(Nil, Nil);
void operator>(Nil, Nil);
void operator>=(Nil, Nil);
void operator+(Nil, Nil);
void operator-(Nil, Nil);
void operator*(Nil, Nil);
void operator/(Nil, Nil);

}  // namespace sinter::inline SINTER_ABI::detail
