#pragma once

#include <sinter/trace/context/tensor_spec.hpp>

namespace sinter::inline SINTER_ABI {

SINTER_INLINE TensorSpec TensorSpec::dynamic(int dim, DimRange range, Where at) const {
  TensorSpec result = *this;
  result.marks.push_back({.dim = dim, .range = range, .where = at});
  return result;
}

}  // namespace sinter::inline SINTER_ABI
