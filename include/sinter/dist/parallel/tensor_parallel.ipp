#pragma once

#include <sinter/base/error.hpp>
#include <sinter/base/public_call.hpp>
#include <sinter/dist/collective/rules.hpp>
#include <sinter/dist/parallel/tensor_parallel.hpp>
#include <sinter/trace/core/evaluate.hpp>
#include <sinter/trace/core/record.hpp>
#include <sinter/trace/functional/attention.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/movement/concatenate.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/movement/rearrange.hpp>
#include <sinter/trace/ops/movement/window.hpp>
#include <sinter/trace/ops/product/product.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail::parallel {

SINTER_INLINE void require_divided(std::string_view op, std::string_view name, std::int64_t size,
                                   const dist::Group& ranks, Where where) {
  if (size % ranks.size(where) == 0) return;
  throw ValueError({.op = op,
                    .what = "the layer cannot be divided among the ranks",
                    .facts = {{std::string(name), text(size)}, {"ranks", text(ranks.size(where))}},
                    .rule = text("the number of ranks divides ", name),
                    .fix = "choose another size, or a group of fewer ranks",
                    .where = where,
                    .see = "distributed"});
}

// This rank's part along `axis` of the tensor of rank 0.
SINTER_INLINE Tensor own_part(const Tensor& whole, int axis, const dist::Group& ranks,
                              Where where) {
  const Tensor first = dist::broadcast({whole, where}, 0, ranks);
  const std::int64_t size = whole.size(axis, where).value(where) / ranks.size(where);
  const std::int64_t start = size * ranks.rank(where);
  const Tensor part = slice({first, where}, axis, start, start + size);
  evaluate(part, where);  // releases the whole
  return part;
}

// Reshapes (3 * width, ...), which has q, k and v, to (3, width, ...), and back.
SINTER_INLINE Tensor apart(const Tensor& x, Where where) {
  return unflatten({x, where}, 0, {3, -1});
}
SINTER_INLINE Tensor together(const Tensor& x, Where where) { return flatten({x, where}, 0, 1); }

}  // namespace detail::parallel

namespace dist {

SINTER_INLINE Tensor parallel_input(Operand x, Group group) {
  const detail::PublicCall call("dist::parallel_input", x.where);
  const Tensor tensor = x.tensor();
  const detail::TensorType type{tensor.dtype(x.where), detail::resolved(tensor.shape())};
  if (!detail::is_floating(type.dtype)) return tensor;
  group.rank(x.where);  // throws without a World
  return detail::record(detail::collective::replicated_input_node(group.number(), type, x.where),
                        {tensor}, x.where);
}

SINTER_INLINE Tensor parallel_output(Operand x, Group group) {
  const detail::PublicCall call("dist::parallel_output", x.where);
  const detail::collective::Collective sum{.kind = detail::collective::Kind::all_reduce,
                                           .group = group.number(),
                                           .is_replicated = true,
                                           .where = x.where};
  const Tensor tensor = x.tensor();
  detail::collective::require_reducible(sum, tensor);
  return detail::collective::record(sum, tensor, tensor.shape());
}

SINTER_INLINE ColumnLinear::ColumnLinear(std::int64_t in, std::int64_t out,
                                         nn::LinearOptions options, Group ranks, Where where)
    : ColumnLinear(nn::Linear(in, out, options, where), ranks, where) {}

SINTER_INLINE ColumnLinear::ColumnLinear(const nn::Linear& whole, Group ranks, Where where)
    : group(ranks.number()) {
  detail::parallel::require_divided("dist::ColumnLinear", "out",
                                    whole.weight.size(0, where).value(where), ranks, where);
  weight = detail::parallel::own_part(whole.weight, 0, ranks, where);
  if (whole.bias) bias = detail::parallel::own_part(*whole.bias, 0, ranks, where);
}

SINTER_INLINE Tensor ColumnLinear::forward(Operand x) const {
  const Where at = x.where;
  nn::detail::require_inputs(x, weight);
  const Tensor given = parallel_input(x, Group(group));
  if (!bias) return linear({given, at}, {weight, at});
  return linear({given, at}, {weight, at}, {*bias, at});
}

SINTER_INLINE nn::Linear ColumnLinear::whole(Where where) const {
  nn::Linear result;
  result.weight = all_gather({weight, where}, 0, Group(group));
  if (bias) result.bias = all_gather({*bias, where}, 0, Group(group));
  return result;
}

SINTER_INLINE RowLinear::RowLinear(std::int64_t in, std::int64_t out, nn::LinearOptions options,
                                   Group ranks, Where where)
    : RowLinear(nn::Linear(in, out, options, where), ranks, where) {}

SINTER_INLINE RowLinear::RowLinear(const nn::Linear& whole, Group ranks, Where where)
    : group(ranks.number()) {
  detail::parallel::require_divided("dist::RowLinear", "in",
                                    whole.weight.size(1, where).value(where), ranks, where);
  weight = detail::parallel::own_part(whole.weight, 1, ranks, where);
  if (whole.bias) bias = broadcast({*whole.bias, where}, 0, ranks);
}

SINTER_INLINE Tensor RowLinear::forward(Operand x) const {
  const Where at = x.where;
  nn::detail::require_inputs(x, weight);
  const Tensor result = parallel_output({linear(x, {weight, at}), at}, Group(group));
  return bias ? add({result, at}, {*bias, at}) : result;
}

SINTER_INLINE nn::Linear RowLinear::whole(Where where) const {
  nn::Linear result;
  result.weight = all_gather({weight, where}, 1, Group(group));
  result.bias = bias;
  return result;
}

SINTER_INLINE SelfAttention::SelfAttention(std::int64_t width, std::int64_t head_count,
                                           Options options, Group ranks, Where where)
    : SelfAttention(nn::MultiheadAttention(width, head_count,
                                           {.bias = options.bias, .batch_first = true}, where),
                    ranks, where) {
  is_causal = options.is_causal;
}

SINTER_INLINE SelfAttention::SelfAttention(const nn::MultiheadAttention& whole, Group ranks,
                                           Where where) {
  detail::parallel::require_divided("dist::SelfAttention", "heads", whole.heads, ranks, where);
  const auto own = [&](const Tensor& x) {
    return detail::parallel::together(
        detail::parallel::own_part(detail::parallel::apart(x, where), 1, ranks, where), where);
  };
  out_proj = RowLinear(whole.out_proj, ranks, where);
  heads = whole.heads / ranks.size(where);
  in_proj_weight = own(whole.in_proj_weight);
  if (whole.in_proj_bias) in_proj_bias = own(*whole.in_proj_bias);
}

SINTER_INLINE Tensor SelfAttention::forward(Operand x) const {
  const Where at = x.where;
  nn::detail::require_inputs(x, in_proj_weight);
  const Tensor given = parallel_input(x, Group(out_proj.group));
  const Tensor projected = in_proj_bias
                               ? linear({given, at}, {in_proj_weight, at}, {*in_proj_bias, at})
                               : linear({given, at}, {in_proj_weight, at});
  const Tensor by_head = unflatten({projected, at}, -1, {3, heads, -1});  // (..., 3, heads, each)
  const auto part = [&](int i) {
    const Tensor one = squeeze({slice({by_head, at}, -3, i, i + 1), at}, -3);
    return transpose({one, at}, -3, -2);  // (..., heads, length, each)
  };
  const Tensor attended = scaled_dot_product_attention({part(0), at}, {part(1), at}, {part(2), at},
                                                       {.causal = is_causal});
  return out_proj({flatten({transpose({attended, at}, -3, -2), at}, -2), at});
}

SINTER_INLINE nn::MultiheadAttention SelfAttention::whole(Where where) const {
  const Group ranks(out_proj.group);
  const auto gathered = [&](const Tensor& x) {
    return detail::parallel::together(
        all_gather({detail::parallel::apart(x, where), where}, 1, ranks), where);
  };
  nn::MultiheadAttention result;
  result.in_proj_weight = gathered(in_proj_weight);
  if (in_proj_bias) result.in_proj_bias = gathered(*in_proj_bias);
  result.out_proj = out_proj.whole(where);
  result.heads = heads * ranks.size(where);
  result.batch_first = true;
  return result;
}

}  // namespace dist

}  // namespace sinter::inline SINTER_ABI
