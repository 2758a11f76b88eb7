#pragma once

#include <limits>  // std::numeric_limits
#include <string>  // std::to_string

#include <sinter/models/attention.hpp>
#include <sinter/models/generate.hpp>

namespace sinter::inline SINTER_ABI::models::detail {

SINTER_INLINE void require_generate(const Operand& prompt, const DecoderCache& cache,
                                    const GenerateOptions& options) {
  require_positive("generate", {{"max_tokens", options.max_tokens}, {"beams", options.beams}},
                   prompt.where);
  require_tokens("generate", prompt, Tensor(), {});
  if (cache.layers.empty()) {
    throw ValueError({.op = "generate",
                      .what = "the cache has no layers",
                      .rule = "a cache has keys and values for each layer of the model",
                      .fix = "make it with new_cache() of the model",
                      .where = prompt.where});
  }
  const std::int64_t positions = cache.layers[0].keys.size(2).value();
  const std::int64_t used = cache.length.item<std::int64_t>(prompt.where);
  const std::int64_t length = prompt.shape()[1].value();
  if (used + length + options.max_tokens <= positions) return;
  throw ValueError({.op = "generate",
                    .what = "the cache has too few positions",
                    .facts = {{"positions", std::to_string(positions)},
                              {"tokens in the cache", std::to_string(used)},
                              {"input_ids", to_string(prompt)},
                              {"max_tokens", std::to_string(options.max_tokens)}},
                    .rule = "each token of the cache, the prompt and the continuation has one",
                    .fix = "make a cache of " + std::to_string(used + length + options.max_tokens) +
                           " positions, or lower max_tokens",
                    .where = prompt.where});
}

SINTER_INLINE void begin(Search& search, const Tensor& prompt, std::int64_t max_tokens) {
  const Extent batch = prompt.size(0);
  Tensor ids = prompt.to(i64);
  if (search.beams != 1) {
    const Tensor rows = floor_divide(arange(batch * search.beams), search.beams);
    select_sequences(search.cache, rows);
    search.logits = index_select(search.logits, 0, rows);
    ids = index_select(ids, 0, rows);
  }
  const std::int64_t rest = search.end_token.value_or(0);
  search.ids = concatenate({ids, full({ids.size(0), max_tokens}, rest, i64)}, 1);
  const Tensor first =
      where(arange(search.beams) == 0, 0.0f, -std::numeric_limits<float>::infinity());
  search.scores = expand(first, {batch, search.beams});
  search.ended = zeros({batch, search.beams}, boolean);
  search.length = prompt.size(1).value();
}

// The logarithms of the probabilities of all continuations, (batch, beams, vocab_size); a sequence
// that has ended goes on with its end.
SINTER_INLINE Tensor scores_of_next(const Search& search) {
  const Extent batch = search.scores.size(0), vocabulary = search.logits.size(-1);
  Tensor next = reshape(log_softmax(search.logits.to(f32), -1), {batch, search.beams, vocabulary});
  if (search.end_token) {
    const Tensor is_end = arange(vocabulary) == *search.end_token;
    const Tensor rest = where(is_end, 0.0f, -std::numeric_limits<float>::infinity());
    next = where(unsqueeze(search.ended, -1), rest, next);
  }
  return unsqueeze(search.scores, -1) + next;
}

// Beam i of each sequence becomes what beam parents[i] is.
SINTER_INLINE void reorder(Search& search, const Tensor& parents) {
  const Tensor first = unsqueeze(arange(parents.size(0)) * search.beams, 1);
  const Tensor rows = reshape(first + parents, {-1});
  search.ids = index_select(search.ids, 0, rows);
  search.ended = take_along_axis(search.ended, parents, 1);
  select_sequences(search.cache, rows, false);  // beams of a sequence have the same source
}

SINTER_INLINE Tensor choose(Search& search) {
  const Extent vocabulary = search.logits.size(-1);
  const Tensor scores = flatten(scores_of_next(search), 1);
  Tensor tokens;
  if (search.beams == 1) {  // the cache is updated in place
    tokens = argmax(scores, 1, true);
    search.scores = take_along_axis(scores, tokens, 1);
  } else {
    const auto [values, places] = topk(scores, search.beams, 1);
    search.scores = values;
    reorder(search, floor_divide(places, vocabulary));
    tokens = places % vocabulary;
  }
  if (search.end_token) search.ended = search.ended | (tokens == *search.end_token);
  const Tensor column = reshape(tokens, {-1});
  search.ids = set(search.ids, {all, search.length}, column);
  search.length += 1;
  return unsqueeze(column, 1);
}

SINTER_INLINE bool all_ended(const Search& search) {
  return search.end_token && sinter::all(search.ended).item<bool>();
}

SINTER_INLINE Generated best_of(const Search& search) {
  return {search.ids[{Slice{0, {}, search.beams}}], search.scores[{all, 0}]};
}

}  // namespace sinter::inline SINTER_ABI::models::detail
