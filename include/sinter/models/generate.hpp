#pragma once
// generate(): continues sequences of tokens by greedy or beam search, with a cache.

#include <optional>  // std::optional
#include <utility>   // std::move

#include <sinter/models/cache.hpp>
#include <sinter/sinter.hpp>

namespace sinter::inline SINTER_ABI::models {

struct GenerateOptions {
  std::int64_t max_tokens = 20;             ///< The most that are added to each sequence.
  std::int64_t beams = 1;                   ///< Continuations that are kept for each; 1 is greedy.
  std::optional<std::int64_t> end_token{};  ///< A sequence ends with it, and is filled up with it.
};

struct Generated {
  Tensor ids;     ///< (batch, length + max_tokens), i64: the prompt and what was added.
  Tensor scores;  ///< (batch), f32: the logarithm of the probability of what was added.
};

namespace detail {

/// The search after some tokens. Rows of a batch with beams are sequence 0, beam 0; beam 1; ...
struct Search {
  DecoderCache cache{};
  Tensor ids{};       ///< (batch * beams, length + max_tokens)
  Tensor logits{};    ///< (batch * beams, vocab_size), of the next token.
  Tensor scores{};    ///< (batch, beams), the best first.
  Tensor ended{};     ///< (batch, beams)
  Scalar length = 0;  ///< Of what is written of `ids`.
  std::int64_t beams = 1;
  std::optional<std::int64_t> end_token{};
  SINTER_MODULE(Search, cache, ids, logits, scores, ended, length, beams, end_token)
};

/// Chooses the next token of each beam and writes it; gives the tokens, (batch * beams, 1).
Tensor choose(Search& search);

/// Prepares for the first choice: all beams are equal, and only the first of them counts.
void begin(Search& search, const Tensor& prompt, std::int64_t max_tokens);

/// Throws ValueError unless the options are possible, and the cache has room.
void require_generate(const Operand& prompt, const DecoderCache& cache,
                      const GenerateOptions& options);

bool all_ended(const Search& search);

Generated best_of(const Search& search);

template <class Model>
void start_search(const Model& model, Search& search, const Tensor& prompt,
                  std::int64_t max_tokens) {
  search.logits = model.next(prompt, search.cache);
  begin(search, prompt, max_tokens);
}

template <class Model>
void search_step(const Model& model, Search& search) {
  const Tensor tokens = choose(search);
  search.logits = model.next(tokens, search.cache);
}

}  // namespace detail

/// The most probable continuation of each sequence that is found when `beams` of them are kept
/// after each token. `model` has the function `next(ids, cache)`, as GPT2 and Llama have, and
/// `cache` is what its new_cache() gave, with a position for each token; it may already have
/// tokens. All steps are compiled; one recording serves them.
///
/// Shapes   ids (batch, length), without padding
/// Throws   ValueError for options that are not possible, or if the cache has too few positions;
///          what next() throws
template <class Model>
Generated generate(const Model& model, Operand ids, DecoderCache cache,
                   const GenerateOptions& options = {}) {
  static const auto start =
      compile(detail::start_search<Model>, {.name = "generate", .evict = true});
  static const auto step = compile(detail::search_step<Model>, {.name = "generate", .evict = true});
  detail::require_generate(ids, cache, options);
  detail::Search search{
      .cache = std::move(cache), .beams = options.beams, .end_token = options.end_token};
  start(model, search, ids.tensor(), options.max_tokens);
  for (std::int64_t i = 0; i < options.max_tokens && !detail::all_ended(search); ++i) {
    step(model, search);
  }
  return detail::best_of(search);
}

}  // namespace sinter::inline SINTER_ABI::models

#ifdef SINTER_DEFINITIONS
#include <sinter/models/generate.ipp>
#endif
