#pragma once

#include <sinter/dist/parallel/gradients.hpp>

namespace sinter::inline SINTER_ABI {

SINTER_INLINE void dist::all_reduce(Gradients& gradients, Reduce reduce, Group group, Where where) {
  for (auto& [name, gradient] : gradients) gradient = all_reduce({gradient, where}, reduce, group);
}

}  // namespace sinter::inline SINTER_ABI
