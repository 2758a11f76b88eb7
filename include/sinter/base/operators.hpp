#pragma once
// These declarations hide the comparisons and + - * / of the enclosing namespaces: code in
// sinter::detail finds operators by argument-dependent lookup only. Without them, each comparison
// of enumerators considers the operators of tensors and sizes, which is slow to compile.

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// Cannot be constructed, so these operators are never called.
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
