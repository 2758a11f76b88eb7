#pragma once
// The mathematical functions as the C library computes them, for any floating
// type.

#include <cmath>

#include <sinter/graph/op.hpp>

/// The function `op` of one number, in the precision of C.
template <class C>
C exact(sinter::detail::Op op, C x) {
  using sinter::detail::Op;
  switch (op) {
    case Op::exp:
      return std::exp(x);
    case Op::expm1:
      return std::expm1(x);
    case Op::log:
      return std::log(x);
    case Op::log1p:
      return std::log1p(x);
    case Op::sin:
      return std::sin(x);
    case Op::cos:
      return std::cos(x);
    case Op::tan:
      return std::tan(x);
    case Op::tanh:
      return std::tanh(x);
    case Op::atan:
      return std::atan(x);
    case Op::erf:
      return std::erf(x);
    case Op::sqrt:
      return std::sqrt(x);
    default:
      return std::floor(x);
  }
}
