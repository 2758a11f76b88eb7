#pragma once
// A row of a table for each index.

#include <cstdint>   // std::int64_t
#include <optional>  // std::optional

#include <sinter/config.hpp>
#include <sinter/trace/module/module.hpp>
#include <sinter/trace/module/walk.hpp>

namespace sinter::inline SINTER_ABI::nn {

struct EmbeddingOptions {
  /// The index whose row starts as 0 and has no gradient; from the end if negative.
  std::optional<std::int64_t> padding_idx{};
};

/// weight[indices].
///
/// Shapes   (...) -> (..., width)
/// DTypes   indices of an integer dtype
/// Throws   IndexError, when it is evaluated, for an index that is not in [-count, count); when it
///          is made, for a padding_idx that is not
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.nn.Embedding.html
struct Embedding {
  Tensor weight;  ///< (count, width); starts normal with mean 0 and deviation 1.
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
