#pragma once

#include <sinter/nn/embedding.hpp>
#include <sinter/trace/ops/creation/create.hpp>
#include <sinter/trace/ops/creation/random.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/index/index.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/transform/grad.hpp>

namespace sinter::inline SINTER_ABI::nn {

namespace detail {

// True where indices are `padding`, with an added axis for the rows.
SINTER_INLINE Tensor is_padding(const Tensor& indices, std::int64_t padding, Where at) {
  return unsqueeze({eq({indices, at}, {padding, at}), at}, -1);
}

SINTER_INLINE std::int64_t padding_of(const char* layer, std::int64_t index, std::int64_t count,
                                      Where where) {
  if (index >= -count && index < count) return index < 0 ? index + count : index;
  throw IndexError({.op = layer,
                    .what = "padding_idx is outside of the table",
                    .facts = {{"padding_idx", sinter::detail::text(index)},
                              {"count", sinter::detail::text(count)}},
                    .rule = "-count <= padding_idx < count",
                    .fix = "count from 0, or from the end with -1",
                    .where = where,
                    .see = "indexing"});
}

// A standard normal table whose row `padding` is 0.
SINTER_INLINE Tensor normal_table(std::int64_t count, std::int64_t width,
                                  const std::optional<std::int64_t>& padding, Where where) {
  const Tensor rows = randn({count, width}, f32, where);
  if (!padding) return rows;
  const Tensor mask = is_padding(arange(count, where), *padding, where);
  return sinter::where({mask, where}, {0, where}, {rows, where});
}

}  // namespace detail

SINTER_INLINE Embedding::Embedding(std::int64_t count, std::int64_t width, EmbeddingOptions options,
                                   Where where) {
  if (options.padding_idx) {
    padding_idx = detail::padding_of("Embedding", *options.padding_idx, count, where);
  }
  weight = detail::normal_table(count, width, padding_idx, where);
}

SINTER_INLINE EmbeddingBag::EmbeddingBag(std::int64_t count, std::int64_t width,
                                         EmbeddingBagLayerOptions options, Where where)
    : mode(options.mode), include_last_offset(options.include_last_offset) {
  if (options.padding_idx) {
    padding_idx = detail::padding_of("EmbeddingBag", *options.padding_idx, count, where);
  }
  weight = detail::normal_table(count, width, padding_idx, where);
}

SINTER_INLINE Tensor EmbeddingBag::forward(Operand indices, const Tensor& offsets,
                                           const Tensor& per_sample_weights) const {
  return embedding_bag(indices, {weight, indices.where},
                       {offsets, mode, per_sample_weights, include_last_offset, padding_idx});
}

SINTER_INLINE Tensor Embedding::forward(Operand indices) const {
  const Where at = indices.where;
  const sinter::detail::PublicCall call("nn::Embedding", at);
  const Tensor rows = index_select({weight, at}, 0, indices);
  if (!padding_idx) return rows;
  const Tensor is_padding = detail::is_padding(indices.tensor(), *padding_idx, at);
  return where({is_padding, at}, {detach({rows, at}), at}, {rows, at});
}

}  // namespace sinter::inline SINTER_ABI::nn
