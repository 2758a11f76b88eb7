#pragma once
// Embedding: looks up a table row for each index.

#include <cstdint>   // std::int64_t
#include <optional>  // std::optional

#include <sinter/config.hpp>
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

}  // namespace sinter::inline SINTER_ABI::nn

#ifdef SINTER_DEFINITIONS
#include <sinter/nn/embedding.ipp>
#endif
