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

SINTER_INLINE std::int64_t padding_of(std::int64_t index, std::int64_t count, Where where) {
  if (index >= -count && index < count) return index < 0 ? index + count : index;
  throw IndexError({.op = "Embedding",
                    .what = "padding_idx is outside of the table",
                    .facts = {{"padding_idx", sinter::detail::text(index)},
                              {"count", sinter::detail::text(count)}},
                    .rule = "-count <= padding_idx < count",
                    .fix = "count from 0, or from the end with -1",
                    .where = where,
                    .see = "indexing"});
}

}  // namespace detail

SINTER_INLINE Embedding::Embedding(std::int64_t count, std::int64_t width, EmbeddingOptions options,
                                   Where where)
    : weight(randn({count, width}, f32, where)) {
  if (!options.padding_idx) return;
  padding_idx = detail::padding_of(*options.padding_idx, count, where);
  const Tensor is_padding = detail::is_padding(arange(count, where), *padding_idx, where);
  weight = sinter::where({is_padding, where}, {0, where}, {weight, where});
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
