#pragma once
// Inside sinter::detail, only argument-dependent lookup finds comparisons and + - * /: these
// declarations hide those of the enclosing namespaces. Otherwise each comparison of enumerators
// considers the operators of tensors and sizes, which is slow to compile.

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// Has no values, so nothing calls these.
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
