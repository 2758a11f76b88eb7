#pragma once

#include <sinter/nn/norm.hpp>

namespace sinter::inline SINTER_ABI::nn {

SINTER_INLINE LayerNorm::LayerNorm(Shape shape, LayerNormOptions options, Where where)
    : weight(ones(shape, f32, where)), eps(options.eps) {
  if (options.bias) bias = zeros(shape, f32, where);
}

SINTER_INLINE Tensor LayerNorm::forward(Operand x) const {
  const Where at = x.where;
  return bias ? layer_norm(x, {weight, at}, {*bias, at}, eps) : layer_norm(x, {weight, at}, eps);
}

SINTER_INLINE RMSNorm::RMSNorm(Shape shape, RMSNormOptions options, Where where)
    : weight(ones(shape, f32, where)), eps(options.eps) {}

SINTER_INLINE Tensor RMSNorm::forward(Operand x) const {
  return rms_norm(x, weight.shape(x.where), std::optional<Operand>({weight, x.where}), eps);
}

namespace detail {

SINTER_INLINE void require_groups(std::int64_t groups, std::int64_t channels, Where where) {
  if (groups >= 1 && channels % groups == 0) return;
  throw ValueError({.op = "GroupNorm",
                    .what = "the groups do not divide the channels",
                    .facts = {{"groups", sinter::detail::text(groups)},
                              {"channels", sinter::detail::text(channels)}},
                    .rule = "groups >= 1 and channels % groups == 0",
                    .fix = "use a number of groups that divides the channels",
                    .where = where,
                    .see = "norms"});
}

}  // namespace detail

SINTER_INLINE GroupNorm::GroupNorm(std::int64_t groups, std::int64_t channels,
                                   GroupNormOptions options, Where where)
    : num_groups(groups), eps(options.eps) {
  detail::require_groups(groups, channels, where);
  if (!options.affine) return;
  weight = ones({channels}, f32, where);
  bias = zeros({channels}, f32, where);
}

SINTER_INLINE Tensor GroupNorm::forward(Operand x) const {
  std::optional<Operand> scale, shift;
  if (weight) scale.emplace(*weight, x.where);
  if (bias) shift.emplace(*bias, x.where);
  return group_norm(x, num_groups, scale, shift, eps);
}

}  // namespace sinter::inline SINTER_ABI::nn
