#pragma once

#include <sinter/nn/decoder.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>

namespace sinter::inline SINTER_ABI::nn {

SINTER_INLINE TransformerDecoderLayer::TransformerDecoderLayer(
    std::int64_t width, std::int64_t heads, TransformerDecoderLayerOptions options, Where where)
    : self_attn(
          width, heads,
          {.dropout = options.dropout, .bias = options.bias, .batch_first = options.batch_first},
          where),
      multihead_attn(
          width, heads,
          {.dropout = options.dropout, .bias = options.bias, .batch_first = options.batch_first},
          where),
      linear1(width, options.dim_feedforward, {.bias = options.bias}, where),
      dropout(options.dropout, where),
      linear2(options.dim_feedforward, width, {.bias = options.bias}, where),
      norm1(width, {.eps = options.layer_norm_eps, .bias = options.bias}, where),
      norm2(width, {.eps = options.layer_norm_eps, .bias = options.bias}, where),
      norm3(width, {.eps = options.layer_norm_eps, .bias = options.bias}, where),
      dropout1(options.dropout, where),
      dropout2(options.dropout, where),
      dropout3(options.dropout, where),
      activation(options.activation),
      norm_first(options.norm_first) {}

SINTER_INLINE Tensor TransformerDecoderLayer::forward(Operand tgt, const Tensor& memory,
                                                      const DecoderMasks& masks) const {
  const Where at = tgt.where;
  const auto attend = [&](const Tensor& x) {
    const AttentionMasks own{.key_padding_mask = masks.tgt_key_padding_mask,
                             .attn_mask = masks.tgt_mask,
                             .is_causal = masks.tgt_is_causal};
    return dropout1({self_attn({x, at}, x, x, own).output, at});
  };
  const auto attend_to_memory = [&](const Tensor& x) {
    const AttentionMasks cross{.key_padding_mask = masks.memory_key_padding_mask,
                               .attn_mask = masks.memory_mask,
                               .is_causal = masks.memory_is_causal};
    return dropout2({multihead_attn({x, at}, memory, memory, cross).output, at});
  };
  const auto transform = [&](const Tensor& x) {
    return dropout3({detail::feed_forward(linear1, activation, dropout, linear2, x, at), at});
  };
  const auto block = [&](const Tensor& x, const LayerNorm& norm, const auto& apply) {
    if (norm_first) return add({x, at}, {apply(norm({x, at})), at});
    return norm({add({x, at}, {apply(x), at}), at});
  };
  const Tensor first = block(tgt.tensor(), norm1, attend);
  return block(block(first, norm2, attend_to_memory), norm3, transform);
}

SINTER_INLINE TransformerDecoder::TransformerDecoder(const TransformerDecoderLayer& layer,
                                                     std::int64_t count,
                                                     std::optional<LayerNorm> last)
    : layers(static_cast<std::size_t>(count), layer), norm(std::move(last)) {}

SINTER_INLINE Tensor TransformerDecoder::forward(Operand tgt, const Tensor& memory,
                                                 const DecoderMasks& masks) const {
  Tensor result = tgt.tensor();
  for (const TransformerDecoderLayer& layer : layers) {
    result = layer({result, tgt.where}, memory, masks);
  }
  return norm ? (*norm)({result, tgt.where}) : result;
}

}  // namespace sinter::inline SINTER_ABI::nn
