#pragma once

#include <sinter/base/error.hpp>
#include <sinter/base/public_call.hpp>
#include <sinter/dist/collective/kind.hpp>
#include <sinter/dist/parallel/gradients.hpp>
#include <sinter/dist/parallel/shard.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

// How the ranks divide a reduced gradient; null if each gets the whole.
SINTER_INLINE const Division* division_of_reduced(const std::string& name, const Tensor& gradient,
                                                  dist::Group group, Where where) {
  const Division* const division = division_of(gradient);
  if (division == nullptr || division->level < Division::Level::gradients) return nullptr;
  if (division->group == group.number()) return division;
  throw ValueError({.op = "dist::all_reduce",
                    .what = "the model is sharded among another group of ranks",
                    .facts = {{"gradient", name},
                              {"ranks", text(group.size(where))},
                              {"sharded among", text(division->ranks)}},
                    .rule = "gradients of a sharded model are reduced over the group of the model",
                    .fix = "pass the group that was passed to dist::shard()",
                    .where = where,
                    .see = "distributed"});
}

}  // namespace detail

// The last gradient comes first: the backward pass computes them in about this order.
SINTER_INLINE void dist::all_reduce(Gradients& gradients, Reduce reduce, Group group, Where where) {
  const detail::PublicCall call("dist::all_reduce", where);
  detail::collective::Collective collective{.kind = detail::collective::Kind::all_reduce,
                                            .reduce = reduce,
                                            .group = group.number(),
                                            .where = where};
  for (std::size_t i = gradients.size(); i-- > 0;) {
    auto& [name, gradient] = gradients.begin()[i];
    const Tensor x = Operand(gradient, where).tensor();
    detail::collective::require_reducible(collective, x);
    if (const auto* const division = detail::division_of_reduced(name, gradient, group, where)) {
      gradient = detail::reduced_part(gradient, *division, reduce, where);
      gradients.set_divided_among(i, group.number());
    } else {
      collective.gradient = static_cast<int>(i);
      gradient = detail::collective::record(collective, x, x.shape(where));
    }
  }
}

}  // namespace sinter::inline SINTER_ABI
