#pragma once

#include <sinter/graph/custom/raw_tensor.hpp>

namespace sinter::inline SINTER_ABI {

SINTER_INLINE std::int64_t RawTensor::stride(int dim) const {
  std::int64_t result = 1;
  for (int axis = ndim() - 1; axis > (dim < 0 ? dim + ndim() : dim); --axis) result *= size(axis);
  return result;
}

SINTER_INLINE std::int64_t RawTensor::numel() const {
  std::int64_t result = 1;
  for (const std::int64_t extent : shape_) result *= extent;
  return result;
}

}  // namespace sinter::inline SINTER_ABI
