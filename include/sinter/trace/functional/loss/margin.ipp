#pragma once

#include <sinter/trace/functional/distance.hpp>
#include <sinter/trace/functional/loss/margin.hpp>
#include <sinter/trace/functional/norm/normalize.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

SINTER_INLINE void require_vectors(const Operand& x, const Operand& y, const Operand& target) {
  require_equal_shapes(x, y, "cosine_embedding_loss", "other");
  const int rank = x.shape().size();
  if ((rank == 1 || rank == 2) && target.shape().size() == rank - 1) return;
  throw ShapeError({.op = "cosine_embedding_loss",
                    .what = "there is not one target for each vector",
                    .facts = {{"x", to_string(x)}, {"target", to_string(target)}},
                    .rule = "x is (n, width) and target (n), or (width) and ()",
                    .fix = "flatten the leading axes of all",
                    .where = x.where});
}

}  // namespace detail

SINTER_INLINE Tensor cosine_embedding_loss(Operand x, Operand y, Operand target, double margin,
                                           Reduction reduction) {
  const detail::PublicCall call("cosine_embedding_loss", x.where);
  const Where at = x.where;
  detail::require_vectors(x, y, target);
  const Operand first = detail::as_wide(x), second = detail::as_wide({y.tensor(), at});
  const auto power = [&](const Operand& a, const Operand& b) {
    return Operand(sum({mul(a, b), at}, -1), at);
  };
  const Operand one(add(power(first, first), {1e-12, at}), at);
  const Operand other(add(power(second, second), {1e-12, at}), at);
  const Operand lengths(sqrt({mul(one, other), at}), at);
  const Tensor cosine = div(power(first, second), lengths);
  const Tensor apart = sub({1, at}, {cosine, at});
  const Tensor near = detail::at_least_zero({sub({cosine, at}, {margin, at}), at});
  const Operand sign(target.tensor(), at);
  const Tensor negative = where({eq(sign, {-1, at}), at}, {near, at}, {0, at});
  const Tensor loss = where({eq(sign, {1, at}), at}, {apart, at}, {negative, at});
  return detail::reduce_loss(loss, reduction, x, "cosine_embedding_loss");
}

SINTER_INLINE Tensor hinge_embedding_loss(Operand x, Operand target, double margin,
                                          Reduction reduction) {
  const detail::PublicCall call("hinge_embedding_loss", x.where);
  const Where at = x.where;
  detail::require_broadcast("hinge_embedding_loss", x, target);
  const Operand wide = detail::as_wide(x), sign(target.tensor(), at);
  const Tensor near = detail::at_least_zero({sub({margin, at}, wide), at});
  const Tensor together = where({ne(sign, {-1, at}), at}, wide, {0, at});
  const Tensor apart = where({ne(sign, {1, at}), at}, {near, at}, {0, at});
  return detail::reduce_loss(add({together, at}, {apart, at}), reduction, x,
                             "hinge_embedding_loss");
}

SINTER_INLINE Tensor margin_ranking_loss(Operand x, Operand y, Operand target, double margin,
                                         Reduction reduction) {
  const detail::PublicCall call("margin_ranking_loss", x.where);
  const Where at = x.where;
  detail::require_broadcast("margin_ranking_loss", x, y);
  detail::require_broadcast("margin_ranking_loss", x, target);
  const Operand first = detail::as_wide(x), second = detail::as_wide({y.tensor(), at});
  const Operand order(neg(detail::as_wide({target.tensor(), at})), at);
  const Tensor wrong = mul(order, {sub(first, second), at});
  const Tensor loss = detail::at_least_zero({add({wrong, at}, {margin, at}), at});
  return detail::reduce_loss(loss, reduction, x, "margin_ranking_loss");
}

// log(1 + exp(z)) as max(z, 0) + log(1 + exp(-|z|)), without overflow.
SINTER_INLINE Tensor soft_margin_loss(Operand x, Operand target, Reduction reduction) {
  const detail::PublicCall call("soft_margin_loss", x.where);
  const Where at = x.where;
  detail::require_equal_shapes(x, target, "soft_margin_loss");
  const Operand sign(neg(detail::as_wide({target.tensor(), at})), at);
  const Operand wrong(mul(sign, detail::as_wide(x)), at);
  const Operand below(lt(wrong, {0, at}), at), minus(neg(wrong), at);
  const Tensor decay = exp({where(below, wrong, minus), at});
  const Tensor loss = add({where(below, {0, at}, wrong), at}, {log1p({decay, at}), at});
  return detail::reduce_loss(loss, reduction, x, "soft_margin_loss");
}

SINTER_INLINE Tensor triplet_margin_loss(Operand anchor, Operand positive, Operand negative,
                                         TripletOptions options) {
  const detail::PublicCall call("triplet_margin_loss", anchor.where);
  const Where at = anchor.where;
  detail::require_broadcast("triplet_margin_loss", anchor, positive);
  detail::require_broadcast("triplet_margin_loss", anchor, negative);
  const Operand base = detail::as_wide(anchor);
  const Operand near(detail::as_wide({positive.tensor(), at}).tensor(), at);
  const Operand far(detail::as_wide({negative.tensor(), at}).tensor(), at);
  const auto distance = [&](const Operand& a, const Operand& b) {
    return Operand(pairwise_distance(a, b, options.p, options.eps), at);
  };
  Operand away = distance(base, far);
  if (options.swap) away = {minimum(away, distance(near, far)), at};
  const Tensor excess = sub(distance(base, near), away);
  const Tensor loss = detail::at_least_zero({add({excess, at}, {options.margin, at}), at});
  return detail::reduce_loss(loss, options.reduction, anchor, "triplet_margin_loss");
}

}  // namespace sinter::inline SINTER_ABI
