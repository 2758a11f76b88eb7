#pragma once
// What the tests of the promises share: tensors as they are needed.

#include "jit/support.hpp"

namespace testing {

/// Every element is `value`.
inline bool is(const Tensor& x, double value) {
  return near(x, Numbers(static_cast<std::size_t>(x.numel().number()), value));
}

/// `x` with its elements computed.
inline Tensor ready(const Tensor& x) {
  elements_of(x);
  return x;
}

/// `x` with dimension `dim` marked.
inline Tensor marked(Tensor x, int dim = 0, DimRange range = {}) {
  elements_of(x);
  mark_dynamic(x, dim, range);
  return x;
}

}  // namespace testing
