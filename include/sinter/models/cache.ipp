#pragma once

#include <string>  // std::to_string

#include <sinter/models/cache.hpp>

namespace sinter::inline SINTER_ABI::models {

SINTER_INLINE void select_sequences(DecoderCache& cache, Operand rows, bool with_source) {
  const auto select = [&](std::vector<KeyValues>& list) {
    for (KeyValues& layer : list) {
      layer.keys = index_select(layer.keys, 0, rows);
      layer.values = index_select(layer.values, 0, rows);
    }
  };
  select(cache.layers);
  if (with_source) select(cache.source);
}

namespace detail {

SINTER_INLINE DecoderCache empty_cache(std::size_t layers, Shape shape, DType dtype, Where where) {
  DecoderCache result;
  for (std::size_t i = 0; i < layers; ++i) {
    result.layers.push_back({zeros(shape, dtype, where), zeros(shape, dtype, where)});
  }
  return result;
}

SINTER_INLINE void append(KeyValues& to, const Tensor& keys, const Tensor& values,
                          const Scalar& length) {
  if (keys.size(2) == 1) {  // a row at a position is written in place
    to.keys = set(to.keys, {all, all, length}, squeeze(keys, 2));
    to.values = set(to.values, {all, all, length}, squeeze(values, 2));
    return;
  }
  const Tensor places = length + arange(keys.size(2));
  to.keys = set(to.keys, {all, all, places}, keys);
  to.values = set(to.values, {all, all, places}, values);
}

SINTER_INLINE Tensor cache_mask(const DecoderCache& cache, Extent tokens) {
  const Tensor last = cache.length + arange(tokens);
  return arange(cache.layers[0].keys.size(2)) <= unsqueeze(last, 1);
}

SINTER_INLINE void require_cache(std::string_view model, const Operand& ids,
                                 const DecoderCache& cache, CacheLayers expected) {
  const std::size_t sources = cache.source.size();
  const bool fits = cache.layers.size() == expected.layers &&
                    (sources == 0 || (expected.cross_attention && sources == expected.layers));
  if (!fits) {
    throw ValueError({.op = model,
                      .what = "the cache is not one of this model",
                      .facts = {{"its layers", std::to_string(cache.layers.size())},
                                {"its layers of a source", std::to_string(sources)},
                                {"layers of the model", std::to_string(expected.layers)}},
                      .rule = "a cache has keys and values for each layer, and those of a source "
                              "only for cross attention",
                      .fix = "make it with new_cache() of the model",
                      .where = ids.where});
  }
  const Tensor& keys = cache.layers[0].keys;
  if (keys.size(0) == ids.shape()[0]) return;
  throw ShapeError({.op = model,
                    .what = "the cache has other sequences",
                    .facts = {{"input_ids", to_string(ids)}, {"keys", to_string(keys)}},
                    .rule = "input_ids are (batch, length), keys (batch, heads, positions, width)",
                    .fix = "make a cache for this batch, or select_sequences()",
                    .where = ids.where});
}

SINTER_INLINE void require_positions(std::string_view model, std::int64_t positions,
                                     std::int64_t most, Where where) {
  if (positions >= 1 && positions <= most) return;
  throw ValueError({.op = model,
                    .what = "a cache cannot have as many positions",
                    .facts = {{"positions", std::to_string(positions)},
                              {"positions of the model", std::to_string(most)}},
                    .rule = "1 <= positions <= those that the model has learnt",
                    .fix = "generate fewer tokens",
                    .where = where});
}

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::models
