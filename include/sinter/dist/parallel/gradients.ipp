#pragma once

#include <sinter/base/public_call.hpp>
#include <sinter/dist/collective/kind.hpp>
#include <sinter/dist/parallel/gradients.hpp>

namespace sinter::inline SINTER_ABI {

SINTER_INLINE void dist::all_reduce(Gradients& gradients, Reduce reduce, Group group, Where where) {
  const detail::PublicCall call("dist::all_reduce", where);
  detail::collective::Collective collective{.kind = detail::collective::Kind::all_reduce,
                                            .reduce = reduce,
                                            .group = group.number(),
                                            .where = where,
                                            .gradient = 0};
  for (auto& [name, gradient] : gradients) {
    const Tensor x = Operand(gradient, where).tensor();
    detail::collective::require_reducible(collective, x);
    gradient = detail::collective::record(collective, x, x.shape(where));
    ++collective.gradient;
  }
}

}  // namespace sinter::inline SINTER_ABI
