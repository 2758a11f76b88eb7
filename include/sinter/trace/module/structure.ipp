#pragma once

#include <sinter/trace/module/structure.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE void TensorCollector::add(const Tensor& tensor) {
  tensor.type(where);
  tensors.push_back(tensor);
}

}  // namespace sinter::inline SINTER_ABI::detail
