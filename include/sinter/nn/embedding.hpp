#pragma once
// Embedding: a table row for each index. EmbeddingBag: reduced rows for each bag of indices.

#include <cstdint>   // std::int64_t
#include <optional>  // std::optional

#include <sinter/config.hpp>
#include <sinter/trace/functional/embedding_bag.hpp>
#include <sinter/trace/module/module.hpp>
#include <sinter/trace/module/walk.hpp>

namespace sinter::inline SINTER_ABI::nn {

struct EmbeddingOptions {
  /// The index whose row starts as 0 and gets no gradient; negative ones count from the end.
  std::optional<std::int64_t> padding_idx{};
};

/// weight[indices].
///
/// Shapes   (...) -> (..., width)
/// DTypes   indices of an integer dtype
/// Throws   IndexError for an index outside [-count, count), when evaluated; for such a
///          padding_idx, on construction
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.nn.Embedding.html
struct Embedding {
  Tensor weight;                              ///< (count, width); starts standard normal.
  std::optional<std::int64_t> padding_idx{};  ///< In [0, count).
  SINTER_MODULE(Embedding, weight, padding_idx)

  Embedding() = default;
  Embedding(std::int64_t count, std::int64_t width, EmbeddingOptions options = {},
            Where where = Where::current());

  Tensor forward(Operand indices) const;
};

struct EmbeddingBagLayerOptions {
  BagMode mode = BagMode::mean;
  bool include_last_offset = false;  ///< The last offset is the end of the last bag.
  /// Its row starts as 0, is not part of bags and gets no gradient; negative ones count from the
  /// end.
  std::optional<std::int64_t> padding_idx{};
};

/// embedding_bag: the sum, mean or maximum of the rows weight[indices] of each bag.
///
/// Shapes   indices (bags, length), or (count) with offsets (bags) -> (bags, width)
/// Throws   as embedding_bag; IndexError for a padding_idx out of range, on construction
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.nn.EmbeddingBag.html
struct EmbeddingBag {
  Tensor weight;  ///< (count, width); starts standard normal.
  BagMode mode = BagMode::mean;
  bool include_last_offset = false;
  std::optional<std::int64_t> padding_idx{};  ///< In [0, count).
  SINTER_MODULE(EmbeddingBag, weight, mode, include_last_offset, padding_idx)

  EmbeddingBag() = default;
  EmbeddingBag(std::int64_t count, std::int64_t width, EmbeddingBagLayerOptions options = {},
               Where where = Where::current());

  Tensor forward(Operand indices, const Tensor& offsets = {},
                 const Tensor& per_sample_weights = {}) const;
};

}  // namespace sinter::inline SINTER_ABI::nn

#ifdef SINTER_DEFINITIONS
#include <sinter/nn/embedding.ipp>
#endif
