#pragma once
// Tensor parallel layers: weights divided among ranks by columns or rows, one all_reduce per block.

#include <cstdint>   // std::int64_t
#include <optional>  // std::optional

#include <sinter/config.hpp>
#include <sinter/dist/collective/operations.hpp>
#include <sinter/nn/attention.hpp>
#include <sinter/nn/linear.hpp>

namespace sinter::inline SINTER_ABI::dist {

/// Marks the input of a part of the model that is divided among ranks: returns x, which must be the
/// same on all ranks.
///
/// Gradient  parallel_output(g): the sum of the gradients of all ranks, each of its part
/// Throws    ValueError without a World
/// Source    Megatron-LM, https://arxiv.org/abs/1909.08053
Tensor parallel_input(Operand x, Group group = {});

/// Marks the output of such a part: the sum of x over the ranks. All ranks get the same result and
/// must use it in the same way.
///
/// Gradient  parallel_input(g), the same on all ranks
/// Throws    as all_reduce
/// Source    Megatron-LM, https://arxiv.org/abs/1909.08053
Tensor parallel_output(Operand x, Group group = {});

/// nn::Linear whose output columns are divided among ranks: x W^T + b for this rank's rows of W.
/// Between it and a RowLinear, elementwise functions need no collective.
///
/// Shapes   x (..., in), the same on all ranks -> (..., out / ranks)
/// Throws   ShapeError if the last axis of x is not `in`; ValueError unless the number of ranks
///          divides `out`
/// Source   Megatron-LM, https://arxiv.org/abs/1909.08053
struct ColumnLinear {
  Tensor weight;               ///< (out / ranks, in)
  std::optional<Tensor> bias;  ///< (out / ranks)
  int group = 0;               ///< The number of the Group.
  SINTER_MODULE(ColumnLinear, weight, bias, group)

  ColumnLinear() = default;
  /// Initialised as nn::Linear; all ranks take the values of rank 0.
  ColumnLinear(std::int64_t in, std::int64_t out, nn::LinearOptions options = {}, Group ranks = {},
               Where where = Where::current());
  /// This rank's part of the layer `whole` of rank 0.
  explicit ColumnLinear(const nn::Linear& whole, Group ranks = {}, Where where = Where::current());

  Tensor forward(Operand x) const;
  /// The whole layer, gathered from all ranks. All ranks call it.
  nn::Linear whole(Where where = Where::current()) const;
};

/// nn::Linear of an x whose last axis is divided among ranks, such as the result of a ColumnLinear.
///
/// Shapes   x (..., in / ranks) -> (..., out), the same on all ranks
/// Throws   ShapeError if the last axis of x is not in / ranks; ValueError unless the number of
///          ranks divides `in`
/// Source   Megatron-LM, https://arxiv.org/abs/1909.08053
struct RowLinear {
  Tensor weight;               ///< (out, in / ranks)
  std::optional<Tensor> bias;  ///< (out), the same on all ranks.
  int group = 0;               ///< The number of the Group.
  SINTER_MODULE(RowLinear, weight, bias, group)

  RowLinear() = default;
  RowLinear(std::int64_t in, std::int64_t out, nn::LinearOptions options = {}, Group ranks = {},
            Where where = Where::current());
  explicit RowLinear(const nn::Linear& whole, Group ranks = {}, Where where = Where::current());

  Tensor forward(Operand x) const;
  nn::Linear whole(Where where = Where::current()) const;
};

/// Self-attention whose heads are divided among ranks: the projections by columns, the output by
/// rows.
///
/// Shapes   x (batch, length, width), the same on all ranks -> the same
/// Throws   ShapeError for another x; ValueError unless the number of ranks divides the number of
///          heads, which divides the width
/// Source   Megatron-LM, https://arxiv.org/abs/1909.08053
struct SelfAttention {
  Tensor in_proj_weight;               ///< (3 * width / ranks, width), for this rank's heads.
  std::optional<Tensor> in_proj_bias;  ///< (3 * width / ranks)
  RowLinear out_proj;
  std::int64_t heads = 1;  ///< The number of heads of this rank.
  bool is_causal = false;
  SINTER_MODULE(SelfAttention, in_proj_weight, in_proj_bias, out_proj, heads, is_causal)

  struct Options {
    bool bias = true;
    bool is_causal = false;  ///< Each position attends only to itself and earlier ones.
  };

  SelfAttention() = default;
  SelfAttention(std::int64_t width, std::int64_t head_count)
      : SelfAttention(width, head_count, {}) {}
  /// Initialised as nn::MultiheadAttention; all ranks take the values of rank 0.
  SelfAttention(std::int64_t width, std::int64_t head_count, Options options, Group ranks = {},
                Where where = Where::current());
  /// This rank's part of the layer `whole` of rank 0.
  explicit SelfAttention(const nn::MultiheadAttention& whole, Group ranks = {},
                         Where where = Where::current());

  Tensor forward(Operand x) const;
  /// The whole layer, batch first, gathered from all ranks. All ranks call it.
  nn::MultiheadAttention whole(Where where = Where::current()) const;
};

}  // namespace sinter::inline SINTER_ABI::dist

#ifdef SINTER_DEFINITIONS
#include <sinter/dist/parallel/tensor_parallel.ipp>
#endif
