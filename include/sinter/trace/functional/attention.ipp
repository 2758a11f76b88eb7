#pragma once

#include <cmath>  // HUGE_VAL, std::isfinite

#include <sinter/trace/context/autocast.hpp>
#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/core/record.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/core/size_value.hpp>
#include <sinter/trace/functional/attention.hpp>
#include <sinter/trace/functional/norm/normalize.hpp>
#include <sinter/trace/ops/creation/create.hpp>
#include <sinter/trace/ops/creation/random.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/product/product.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

constexpr const char* attention_name = "scaled_dot_product_attention";

SINTER_INLINE void require_attention(const Operand& query, const Operand& key,
                                     const Operand& value) {
  const Shape q = query.shape(), k = key.shape(), v = value.shape();
  Report report{
      .op = attention_name,
      .facts = {{"query", to_string(query)}, {"key", to_string(key)}, {"value", to_string(value)}},
      .where = query.where,
      .see = "matmul"};
  const DType dtype = query.type().dtype;
  if (!is_floating(dtype) || key.type().dtype != dtype || value.type().dtype != dtype) {
    report.what = "the dtypes do not fit";
    report.rule = "query, key and value are of one floating dtype";
    report.fix = "cast them: key.to(query.dtype())";
    report.see = "dtypes";
    throw DTypeError(report);
  }
  const bool fits = q.size() >= 2 && k.size() >= 2 && v.size() >= 2 &&
                    equal_sizes(q[-1], k[-1], query.where) &&
                    equal_sizes(k[-2], v[-2], query.where);
  if (fits) return;
  report.what = "the shapes do not fit";
  report.rule = "query is (..., queries, width), key (..., keys, width), value (..., keys, out)";
  report.fix = "put the heads in front of the positions: transpose(x, 1, 2)";
  throw ShapeError(report);
}

SINTER_INLINE void require_scale(double scale, Where where) {
  if (std::isfinite(scale)) return;
  throw ValueError({.op = attention_name,
                    .what = "the scale is not finite",
                    .facts = {{"scale", text(scale)}},
                    .rule = "products of query and key are multiplied by the scale",
                    .fix = "leave it out: it is 1 / sqrt(width) then",
                    .where = where,
                    .see = "numbers"});
}

// Calls `compute`, a product of query and key or of weights and value, with errors that name the
// heads.
template <class Compute>
Tensor product_of_heads(const Operand& query, const Operand& key, const Operand& value,
                        const Compute& compute) {
  try {
    return compute();
  } catch (const ShapeError&) {
    throw ShapeError(
        {.op = attention_name,
         .what = "the heads do not fit",
         .facts = {{"query", to_string(query)},
                   {"key", to_string(key)},
                   {"value", to_string(value)}},
         .rule = "in front of the last two axes, extents are equal or one of them is 1",
         .fix = "set .enable_gqa if several heads of the query share one of the keys",
         .where = query.where,
         .see = "matmul"});
  }
}

// Repeats each head of `x` for the heads of `query` that share it.
SINTER_INLINE Operand with_heads(const Operand& x, const Operand& query) {
  const Where at = query.where;
  const Shape from = x.shape(), to = query.shape();
  if (from.size() < 3 || to.size() < 3 || equal_sizes(from[-3], to[-3], at)) return x;
  const Extent repeats = floor_div(to[-3], from[-3]);
  if (!equal_sizes(repeats * from[-3], to[-3], at)) {
    throw ShapeError({.op = attention_name,
                      .what = "the heads of the keys do not divide those of the queries",
                      .facts = {{"query", to_string(query)}, {"key", to_string(x)}},
                      .rule = "heads of query % heads of key == 0",
                      .fix = "use as many heads, or a divisor",
                      .where = at});
  }
  Shape repeated, whole = from;
  for (int axis = 0; axis < from.size(); ++axis) {
    repeated.push_back(from[axis]);
    if (axis == from.size() - 3) repeated.push_back(repeats);
  }
  whole[-3] = to[-3];
  return {reshape({expand({unsqueeze(x, -3), at}, repeated), at}, whole), at};
}

// The positions along `axis` of `scores`, broadcastable to them; 0 if there is no such axis.
SINTER_INLINE Tensor index_along(const Tensor& scores, int axis, Where where) {
  if (axis < -scores.ndim()) return constant_tensor(constant(0), {i64, {}}, where);
  Shape shape{scores.shape()[axis]};
  for (int i = axis + 1; i < 0; ++i) shape.push_back(1);
  return reshape({arange(scores.shape()[axis], where), where}, shape);
}

SINTER_INLINE Tensor changed_scores(const Tensor& scores, const ScoreFunction& function,
                                    Where where) {
  const Tensor batch = index_along(scores, -4, where), head = index_along(scores, -3, where);
  const Tensor query = index_along(scores, -2, where), key = index_along(scores, -1, where);
  const Tensor changed = function(scores, batch, head, query, key, where);
  if (!is_floating(changed.dtype(where))) {
    throw DTypeError({.op = attention_name,
                      .what = "the score function does not give scores",
                      .facts = {{"scores", to_string(scores)}, {"given", to_string(changed)}},
                      .rule = "a score function gives a floating score for each query and key",
                      .fix = "a condition belongs into .mask, or where(c, score, -INFINITY)",
                      .where = where,
                      .see = "dtypes"});
  }
  return expand({cast({changed, where}, scores.dtype()), where}, scores.shape());
}

SINTER_INLINE Tensor masked_scores(const Tensor& scores, const Tensor& mask, Where where) try {
  if (mask.dtype(where) == boolean) {
    return sinter::where({mask, where}, {scores, where}, {-HUGE_VAL, where});
  }
  if (is_floating(mask.dtype())) {
    return add({scores, where}, {cast({mask, where}, scores.dtype()), where});
  }
  throw DTypeError({.op = attention_name,
                    .what = "the mask is neither boolean nor floating",
                    .facts = {{"mask", to_string(mask)}},
                    .rule = "a boolean mask selects the keys, a floating one is added",
                    .fix = "compare it: ne(mask, 0)",
                    .where = where,
                    .see = "dtypes"});
} catch (const ShapeError&) {
  throw ShapeError({.op = attention_name,
                    .what = "the mask does not fit the scores",
                    .facts = {{"scores", to_string(scores)}, {"mask", to_string(mask)}},
                    .rule = "the mask broadcasts to (..., queries, keys)",
                    .fix = "unsqueeze a mask of the keys of each sample to (batch, 1, 1, keys)",
                    .where = where,
                    .see = "broadcasting"});
}

// The softmax over the last axis; 0 where all scores are -infinity.
SINTER_INLINE Tensor safe_softmax(const Tensor& scores, Where where) {
  if (same(scores.shape()[-1], Extent(0))) return scores;
  const Tensor largest = detach({detail::largest({scores, where}, -1), where});
  const Tensor is_masked = eq({largest, where}, {-HUGE_VAL, where});
  const Tensor shift = sinter::where({is_masked, where}, {0, where}, {largest, where});
  const Tensor powers = exp({sub({scores, where}, {shift, where}), where});
  const Tensor total = sum({powers, where}, -1, true);
  const Tensor divisor = sinter::where({is_masked, where}, {1, where}, {total, where});
  return div({powers, where}, {divisor, where});
}

SINTER_INLINE Tensor attention_scores(const Operand& query, const Operand& key,
                                      const AttentionOptions& options) {
  const Where at = query.where;
  const Tensor product = matmul(query, {transpose(key, -2, -1), at});
  const Operand wide = as_wide({product, at});
  if (options.scale) return mul(wide, {*options.scale, at});
  const Operand width(size_value(query.shape()[-1], wide.type().dtype, at), at);
  return div(wide, {sqrt(width), at});
}

}  // namespace detail

SINTER_INLINE Tensor scaled_dot_product_attention(Operand query, Operand key, Operand value,
                                                  AttentionOptions options) {
  const detail::PublicCall call("scaled_dot_product_attention", query.where);
  const Where at = query.where;
  for (Operand* x : {&query, &key, &value}) {
    *x = {detail::cast(*x, detail::autocast_product(x->type().dtype)), x->where};
  }
  detail::require_attention(query, key, value);
  if (options.scale) detail::require_scale(*options.scale, at);
  if (options.enable_gqa) {
    key = detail::with_heads(key, query);
    value = detail::with_heads(value, query);
  }
  Tensor scores = detail::product_of_heads(
      query, key, value, [&] { return detail::attention_scores(query, key, options); });
  if (options.score) scores = detail::changed_scores(scores, options.score, at);
  if (options.mask) scores = detail::masked_scores(scores, *options.mask, at);
  if (options.causal) {
    const Operand row(detail::index_along(scores, -2, at), at);
    const Operand column(detail::index_along(scores, -1, at), at);
    scores = where({ge(row, column), at}, {scores, at}, {-HUGE_VAL, at});
  }
  const bool may_see_nothing = options.mask || options.score;
  Tensor weights = may_see_nothing ? detail::safe_softmax(scores, at) : softmax({scores, at}, -1);
  if (options.dropout != 0) weights = dropout({weights, at}, options.dropout);
  const Operand mixed(detail::cast({weights, at}, value.type().dtype), at);
  return detail::product_of_heads(query, key, value, [&] { return matmul(mixed, value); });
}

}  // namespace sinter::inline SINTER_ABI
