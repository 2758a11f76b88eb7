#pragma once

#include <sinter/dist/parallel/replicate.hpp>
#include <sinter/trace/context/division.hpp>
#include <sinter/trace/context/division_hooks.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE void replicate(Tensor& x, int root, dist::Group group, Where where) {
  if (!x.defined()) return;
  const Division* const division = division_of(x);
  if (division != nullptr && is_part(x, *division)) return;
  x.set_value(dist::broadcast({x, where}, root, group));
}

}  // namespace sinter::inline SINTER_ABI::detail
