#pragma once
// Multi-head attention with its projections.

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

/// Attention masks. As in torch's layer, boolean masks are true for positions that are masked out,
/// the opposite of the function scaled_dot_product_attention; floating masks are added to the
/// scores. An undefined mask masks nothing.
struct AttentionMasks {
  Tensor key_padding_mask{};  ///< (batch, keys)
  Tensor attn_mask{};         ///< (queries, keys) or (batch * heads, queries, keys)
  bool is_causal = false;     ///< Each query attends only to keys up to its own position.
  bool average_attn_weights = true;
  SINTER_MODULE(AttentionMasks, key_padding_mask, attn_mask, is_causal, average_attn_weights)
};

/// The result of attention: converts to the Tensor `output`, or auto [output, weights] =
/// attention(...).
struct AttentionOutput {
  Tensor output;   ///< In the shape of the query.
  Tensor weights;  ///< (batch, queries, keys), before dropout; (batch, heads, queries, keys) unless
                   ///< they are averaged. They cost nothing if nobody reads them.
  SINTER_MODULE(AttentionOutput, output, weights)
  operator const Tensor&() const { return output; }
};

/// out_proj(softmax(q * k^T / sqrt(width / heads) + mask) * v), where q, k and v are projections of
/// query, key and value, and each head has a slice of their width.
///
/// Shapes   query (queries, batch, width), key and value (keys, batch, width); with batch_first the
///          batch comes first; or all without a batch
/// Throws   ValueError unless heads divide the width; ShapeError if the shapes do not fit
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.nn.MultiheadAttention.html
struct MultiheadAttention {
  Tensor in_proj_weight;               ///< (3 * width, width): of query, key and value.
  std::optional<Tensor> in_proj_bias;  ///< (3 * width); starts as 0.
  Linear out_proj;                     ///< Its bias starts as 0.
  std::int64_t heads = 1;
  double dropout = 0;
  bool batch_first = false;
  bool training = true;
  // The operator() of SINTER_MODULE takes no mask in braces. This one is a template: only
  // programs that call it compile it.
  SINTER_ACCESSORS(MultiheadAttention, in_proj_weight, in_proj_bias, out_proj, heads, dropout,
                   batch_first, training)

  MultiheadAttention() = default;
  MultiheadAttention(std::int64_t width, std::int64_t head_count,
                     MultiheadAttentionOptions options = {}, Where where = Where::current());

  AttentionOutput forward(Operand query, const Tensor& key, const Tensor& value,
                          const AttentionMasks& masks = {}) const;
  template <class Self = MultiheadAttention>
  AttentionOutput operator()(Operand query, const Tensor& key, const Tensor& value,
                             const AttentionMasks& masks = {}) const {
    const sinter::detail::ModuleScope sinter_scope(static_cast<const Self*>(this));
    SINTER_FORWARD(forward(query, key, value, masks))
  }
};

}  // namespace sinter::inline SINTER_ABI::nn

#ifdef SINTER_DEFINITIONS
#include <sinter/nn/attention.ipp>
#endif
