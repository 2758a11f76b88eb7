#pragma once
// Sums, means and maxima of bags of table rows.

#include <cstdint>   // std::int64_t
#include <optional>  // std::optional

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

/// How the rows of a bag are reduced.
enum class BagMode : std::uint8_t { sum, mean, max };

struct EmbeddingBagOptions {
  Tensor offsets{};  ///< Where each bag begins in indices of rank 1; ascending, the first is 0.
  BagMode mode = BagMode::mean;
  Tensor per_sample_weights{};       ///< A factor for each index, in their shape; for sums only.
  bool include_last_offset = false;  ///< The last offset is the end of the last bag.
  std::optional<std::int64_t> padding_idx{};  ///< Indices that are not part of their bag.
};

/// The sum, mean or maximum of the rows weight[indices] of each bag; 0 for an empty bag.
///
/// Shapes   indices (bags, length), or (count) with offsets (bags); weight (count, width)
///          -> (bags, width)
/// DTypes   indices and offsets of an integer dtype
/// Throws   ShapeError if the shapes do not fit; ValueError for offsets with indices of rank 2, and
///          for per_sample_weights unless bags are summed; IndexError, when evaluated, for an index
///          out of range or a first offset above 0
/// Gradient weight: g at the rows of the bag, divided by their number for a mean; for a maximum, at
///          the first row that has it
/// Cost     a maximum with offsets compares each bag with all rows
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.embedding_bag.html
Tensor embedding_bag(Operand indices, Operand weight, EmbeddingBagOptions options = {});

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/functional/embedding_bag.ipp>
#endif
