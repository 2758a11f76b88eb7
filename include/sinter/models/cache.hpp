#pragma once
// The keys and values that a decoder keeps of the tokens before.

#include <cstddef>      // std::size_t
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/sinter.hpp>

namespace sinter::inline SINTER_ABI::models {

/// Of one layer, each (batch, heads, positions, width).
struct KeyValues {
  Tensor keys, values;
  SINTER_MODULE(KeyValues, keys, values)
};

/// A compiled function that gets it by reference writes new tokens into its memory.
struct DecoderCache {
  std::vector<KeyValues> layers{};  ///< Of all positions; those from `length` on are not read.
  std::vector<KeyValues> source{};  ///< Of the output of an encoder, which cross attention reads.
  Scalar length = 0;                ///< The number of tokens so far, of each sequence.
  SINTER_MODULE(DecoderCache, layers, source, length)
};

/// Replaces sequence i by sequence rows[i], as beam search does, and `source` as well if asked.
///
/// Shapes   rows (new batch), integers
void select_sequences(DecoderCache& cache, Operand rows, bool with_source = true);

namespace detail {

/// Zeros for `positions` tokens in each of `layers`.
DecoderCache empty_cache(std::size_t layers, Shape shape, DType dtype, Where where);

/// Writes keys and values of the next tokens, (batch, heads, tokens, width), behind `length`.
void append(KeyValues& to, const Tensor& keys, const Tensor& values, const Scalar& length);

/// (tokens, positions): each of the next tokens attends to those before it and to itself.
Tensor cache_mask(const DecoderCache& cache, Extent tokens);

/// What a model asks of its caches.
struct CacheLayers {
  std::size_t layers = 0;
  bool cross_attention = false;
};

/// Throws ValueError unless the cache has as many layers, and a source only if that can be read;
/// ShapeError unless it has the sequences of `ids`.
void require_cache(std::string_view model, const Operand& ids, const DecoderCache& cache,
                   CacheLayers expected);

/// Throws ValueError unless 1 <= positions <= `most`.
void require_positions(std::string_view model, std::int64_t positions, std::int64_t most,
                       Where where);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::models

#ifdef SINTER_DEFINITIONS
#include <sinter/models/cache.ipp>
#endif
