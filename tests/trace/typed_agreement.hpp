#pragma once
// Typed expressions of five numbers, compared with the untyped functions.

#include <sinter/trace/ops/typed/elementwise.hpp>

#include "testing.hpp"

namespace typed_agreement {

using namespace testing;

inline TensorOf<float, 5> x = vector({-2, -0.5, 0.25, 1, 3});
inline Tensor untyped = x;
inline const Shared shared{x, untyped};

/// Whether both have the same elements and dtype, and the type says so.
template <class E>
bool agree(const E& typed, const Tensor& expected) {
  static_assert(Expression<E>);
  static_assert(E::dims.size() == 1 && E::dims[0] == Dim(5));
  return alike(typed, expected) && Tensor(typed).dtype() == E::type.dtype &&
         expected.dtype() == E::type.dtype;
}

}  // namespace typed_agreement
