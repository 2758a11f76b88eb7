#pragma once

#include <limits>  // std::numeric_limits

#include <sinter/nn/attention.hpp>
#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/functional/attention.hpp>
#include <sinter/trace/functional/norm/normalize.hpp>
#include <sinter/trace/ops/creation/create.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/product/product.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

namespace sinter::inline SINTER_ABI::nn {

namespace detail {

SINTER_INLINE void require_heads(std::int64_t width, std::int64_t heads, Where where) {
  if (heads > 0 && width % heads == 0) return;
  throw ValueError(
      {.op = "MultiheadAttention",
       .what = "the width cannot be shared out among the heads",
       .facts = {{"width", sinter::detail::text(width)}, {"heads", sinter::detail::text(heads)}},
       .rule = "width % heads == 0",
       .fix = "choose a number of heads that divides the width",
       .where = where});
}

// Throws unless query, key and value, batch first, fit the layer and each other.
SINTER_INLINE void require_sequences(const Tensor& query, const Tensor& key, const Tensor& value,
                                     const Extent& width, Where at) {
  const auto fits = [&](const Tensor& x) {
    return x.ndim(at) == 3 && sinter::detail::equal_sizes(x.size(2), width, at) &&
           sinter::detail::equal_sizes(x.size(0), query.size(0), at);
  };
  if (fits(query) && fits(key) && fits(value) &&
      sinter::detail::equal_sizes(key.size(1), value.size(1), at))
    return;
  throw ShapeError({.op = "MultiheadAttention",
                    .what = "the input does not fit the layer",
                    .facts = {{"query", to_string(query)},
                              {"key", to_string(key)},
                              {"value", to_string(value)},
                              {"width", to_string(width)}},
                    .rule = "all three are (length, batch, width), key and value of one length; "
                            "with batch_first, (batch, length, width)",
                    .fix = "permute them, or make the layer with {.batch_first = true}",
                    .where = at,
                    .see = "matmul"});
}

SINTER_INLINE bool same_value(const Tensor& x, const Tensor& y) {
  return x.lazy() == y.lazy() && x.result() == y.result();
}

// (batch, length, width) to (batch, heads, length, width / heads)
SINTER_INLINE Tensor split_heads(const Tensor& x, std::int64_t heads, Where at) {
  const Tensor parts = reshape({x, at}, {x.size(0), x.size(1), heads, floor_div(x.size(2), heads)});
  return permute({parts, at}, {0, 2, 1, 3});
}

// -infinity where a boolean mask is true; floating masks are unchanged.
SINTER_INLINE Tensor added_mask(const Tensor& mask, DType dtype, Where at) {
  if (mask.dtype(at) != boolean) return sinter::detail::cast({mask, at}, dtype);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return sinter::detail::cast({where({mask, at}, {-infinity, at}, {0, at}), at}, dtype);
}

// -infinity where a key comes after the query.
SINTER_INLINE Tensor causal_mask(const Tensor& q, const Tensor& k, Where at) {
  const Tensor row = unsqueeze({arange(q.size(2), at), at}, 1);
  const Tensor later = gt({arange(k.size(2), at), at}, {row, at});
  return added_mask(later, q.dtype(), at);
}

// Throws unless `mask` has the shape `shape`, or its last two axes if the mask is a matrix.
SINTER_INLINE void require_mask(const Tensor& mask, std::string_view name, const Shape& shape,
                                std::string_view rule, Where at) {
  bool fits = mask.ndim(at) <= shape.size() && mask.ndim() >= 2;
  for (int axis = 1; fits && axis <= mask.ndim(); ++axis) {
    fits = sinter::detail::equal_sizes(mask.size(-axis), shape[-axis], at);
  }
  if (fits) return;
  throw ShapeError({.op = "MultiheadAttention",
                    .what = sinter::detail::text(name, " does not fit the input"),
                    .facts = {{std::string(name), to_string(mask)}},
                    .rule = rule,
                    .fix = "reshape the mask; true, or -infinity, masks a position out",
                    .where = at,
                    .see = "broadcasting"});
}

// The combined additive mask for scores (batch, heads, queries, keys); undefined if nothing is
// masked.
SINTER_INLINE Tensor mask_of(const AttentionMasks& masks, const Tensor& q, const Tensor& k,
                             Where at) {
  Tensor result;
  if (masks.attn_mask.defined()) {
    result = added_mask(masks.attn_mask, q.dtype(), at);
    require_mask(result, "attn_mask", {q.size(0) * q.size(1), q.size(2), k.size(2)},
                 "it is (queries, keys) or (batch * heads, queries, keys)", at);
    if (result.ndim() == 3) {
      result = reshape({result, at}, {q.size(0), q.size(1), q.size(2), k.size(2)});
    }
  }
  if (!masks.key_padding_mask.defined()) return result;
  Tensor padding = added_mask(masks.key_padding_mask, q.dtype(), at);
  if (padding.ndim() == 1) padding = unsqueeze({padding, at}, 0);  // without a batch
  require_mask(padding, "key_padding_mask", {q.size(0), k.size(2)},
               "it is (batch, keys), or (keys) without a batch", at);
  padding = reshape({padding, at}, {q.size(0), 1, 1, k.size(2)});
  return result.defined() ? add({result, at}, {padding, at}) : padding;
}

SINTER_INLINE Tensor attention_weights(const Tensor& q, const Tensor& k, const Tensor& mask,
                                       bool is_causal, Where at) {
  const Tensor width = sinter::detail::size_value(q.size(3), f64, at);
  const Tensor scale = sinter::detail::cast({rsqrt({width, at}), at}, q.dtype(at));
  Tensor scores = matmul({mul({q, at}, {scale, at}), at}, {transpose({k, at}, 2, 3), at});
  if (mask.defined()) scores = add({scores, at}, {mask, at});
  if (is_causal) scores = add({scores, at}, {causal_mask(q, k, at), at});
  return softmax({scores, at}, -1);
}

/// Query, key and value, projected, each (batch, heads, length, width / heads).
struct Projected {
  Tensor q, k, v;
};

// Projects with the rows of the weight for parts `first` to `last` of q, k and v.
SINTER_INLINE Tensor project(const MultiheadAttention& layer, const Tensor& x, int first, int last,
                             Where at) {
  const Extent width = layer.in_proj_weight.size(1, at);
  const Tensor weight = slice({layer.in_proj_weight, at}, 0, width * first, width * last);
  if (!layer.in_proj_bias) return linear({x, at}, {weight, at});
  const Tensor bias = slice({*layer.in_proj_bias, at}, 0, width * first, width * last);
  return linear({x, at}, {weight, at}, {bias, at});
}

SINTER_INLINE Projected projections(const MultiheadAttention& layer, const Tensor& query,
                                    const Tensor& key, const Tensor& value, Where at) {
  const Extent width = layer.in_proj_weight.size(1, at);
  const auto heads = [&](const Tensor& x) { return split_heads(x, layer.heads, at); };
  const auto part = [&](const Tensor& x, int i) {
    return heads(slice({x, at}, -1, width * i, width * (i + 1)));
  };
  if (same_value(query, key) && same_value(key, value)) {  // one product is faster than three
    const Tensor all = project(layer, query, 0, 3, at);
    return {part(all, 0), part(all, 1), part(all, 2)};
  }
  const Tensor q = heads(project(layer, query, 0, 1, at));
  if (same_value(key, value)) {
    const Tensor both = project(layer, key, 1, 3, at);
    return {q, part(both, 0), part(both, 1)};
  }
  return {q, heads(project(layer, key, 1, 2, at)), heads(project(layer, value, 2, 3, at))};
}

}  // namespace detail

SINTER_INLINE MultiheadAttention::MultiheadAttention(std::int64_t width, std::int64_t head_count,
                                                     MultiheadAttentionOptions options, Where where)
    : out_proj(width, width, {.bias = options.bias}, where),
      heads(head_count),
      dropout(options.dropout),
      batch_first(options.batch_first) {
  detail::require_heads(width, heads, where);
  in_proj_weight = zeros({3 * width, width}, f32, where);
  init::xavier_uniform_(in_proj_weight, 1, where);
  if (!options.bias) return;
  in_proj_bias = zeros({3 * width}, f32, where);
  out_proj.bias = zeros({width}, f32, where);
}

SINTER_INLINE AttentionOutput MultiheadAttention::forward(Operand query, const Tensor& key,
                                                          const Tensor& value,
                                                          const AttentionMasks& masks) const {
  const Where at = query.where;
  const bool has_batch = query.shape().size() != 2;
  const auto batch_in_front = [&](const Tensor& x) {
    if (!has_batch) return unsqueeze({x, at}, 0);
    return batch_first || x.ndim(at) != 3 ? x : transpose({x, at}, 0, 1);
  };
  const Tensor given = batch_in_front(query.tensor());
  const Tensor from = batch_in_front(key), what = batch_in_front(value);
  detail::require_sequences(given, from, what, in_proj_weight.size(1, at), at);
  const auto [q, k, v] = detail::projections(*this, given, from, what, at);
  const Tensor mask = detail::mask_of(masks, q, k, at);
  AttentionOptions options{.causal = masks.is_causal, .dropout = training ? dropout : 0};
  if (mask.defined()) options.mask = mask;
  const Tensor found = scaled_dot_product_attention({q, at}, {k, at}, {v, at}, options);
  const Tensor heads_apart = permute({found, at}, {0, 2, 1, 3});
  Tensor output = out_proj({reshape({heads_apart, at}, given.shape()), at});
  if (!has_batch) output = squeeze({output, at}, 0);
  if (has_batch && !batch_first) output = transpose({output, at}, 0, 1);
  Tensor weights = detail::attention_weights(q, k, mask, masks.is_causal, at);
  if (masks.average_attn_weights) weights = mean({weights, at}, 1);
  if (!has_batch) weights = squeeze({weights, at}, 0);
  return {output, weights};
}

}  // namespace sinter::inline SINTER_ABI::nn
