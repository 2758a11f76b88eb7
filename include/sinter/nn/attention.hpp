#pragma once
// Attention of several heads, with its projections.

#include <cstdint>   // std::int64_t
#include <optional>  // std::optional

#include <sinter/config.hpp>
#include <sinter/nn/linear.hpp>
#include <sinter/trace/module/module.hpp>
#include <sinter/trace/module/walk.hpp>

namespace sinter::inline SINTER_ABI::nn {

struct MultiheadAttentionOptions {
  double dropout = 0;        ///< Of the weights, while training.
  bool bias = true;          ///< Of the projections.
  bool batch_first = false;  ///< Axes batch, length, width; else length, batch, width.
};

/// Who may look at what. Boolean masks are true where nobody looks, floating ones are added to the
/// scores: as torch's layer has it, which is the other way round than in the function
/// scaled_dot_product_attention. A mask that is undefined masks nothing.
struct AttentionMasks {
  Tensor key_padding_mask{};  ///< (batch, keys)
  Tensor attn_mask{};         ///< (queries, keys) or (batch * heads, queries, keys)
  bool is_causal = false;     ///< Each looks only at what is not behind it; no mask is needed.
  bool average_attn_weights = true;
  SINTER_MODULE(AttentionMasks, key_padding_mask, attn_mask, is_causal, average_attn_weights)
};

/// What attention gives: used as a Tensor it is `output`, or auto [output, weights] =
/// attention(...).
struct AttentionOutput {
  Tensor output;   ///< In the shape of the query.
  Tensor weights;  ///< (batch, queries, keys), before dropout; (batch, heads, queries, keys) unless
                   ///< they are averaged. They cost nothing if nobody reads them.
  SINTER_MODULE(AttentionOutput, output, weights)
  operator const Tensor&() const { return output; }
};

/// out_proj(softmax(q * k^T / sqrt(width / heads) + mask) * v) for each head, which has its part of
/// the widths of q, k and v, which are the affine maps of query, key and value.
///
/// Shapes   query (queries, batch, width), key and value (keys, batch, width); with batch_first the
///          batch comes first; or all without a batch
/// Throws   ValueError unless heads divide the width; ShapeError if the shapes are others
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.nn.MultiheadAttention.html
struct MultiheadAttention {
  Tensor in_proj_weight;               ///< (3 * width, width): of query, key and value.
  std::optional<Tensor> in_proj_bias;  ///< (3 * width); starts as 0.
  Linear out_proj;                     ///< Its bias starts as 0.
  std::int64_t heads = 1;
  double dropout = 0;
  bool batch_first = false;
  bool training = true;
  // The call is written out below, so that it takes masks in braces.
  SINTER_ACCESSORS(MultiheadAttention, in_proj_weight, in_proj_bias, out_proj, heads, dropout,
                   batch_first, training)

  MultiheadAttention() = default;
  MultiheadAttention(std::int64_t width, std::int64_t head_count,
                     MultiheadAttentionOptions options = {}, Where where = Where::current());

  AttentionOutput forward(Operand query, const Tensor& key, const Tensor& value,
                          const AttentionMasks& masks = {}) const;
  AttentionOutput operator()(Operand query, const Tensor& key, const Tensor& value,
                             const AttentionMasks& masks = {}) const {
    const sinter::detail::ModuleScope scope(this);
    return forward(query, key, value, masks);
  }
};

}  // namespace sinter::inline SINTER_ABI::nn

#ifdef SINTER_DEFINITIONS
#include <sinter/nn/attention.ipp>
#endif
