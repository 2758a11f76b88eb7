#pragma once

#include <limits>  // std::numeric_limits

#include <sinter/nn/initialize.hpp>
#include <sinter/nn/transformer.hpp>
#include <sinter/trace/ops/creation/create.hpp>
#include <sinter/trace/ops/movement/diagonal.hpp>

namespace sinter::inline SINTER_ABI::nn {

namespace detail {

SINTER_INLINE void start_xavier(MultiheadAttention& attention, Where where) {
  init::xavier_uniform_(attention.in_proj_weight, 1, where);
  init::xavier_uniform_(attention.out_proj.weight, 1, where);
}

template <class Layer>
Layer transformer_layer(std::int64_t width, std::int64_t heads, const TransformerOptions& of,
                        Where where) {
  Layer layer(width, heads,
              {of.dim_feedforward, of.dropout, of.activation, of.layer_norm_eps, of.batch_first,
               of.norm_first, of.bias},
              where);
  return layer;
}

}  // namespace detail

SINTER_INLINE Transformer::Transformer(std::int64_t width, std::int64_t heads,
                                       TransformerOptions options, Where where) {
  const LayerNorm norm(width, {.eps = options.layer_norm_eps, .bias = options.bias}, where);
  encoder.norm = norm, decoder.norm = norm;
  for (std::int64_t i = 0; i < options.num_encoder_layers; ++i) {
    encoder.layers.push_back(
        detail::transformer_layer<TransformerEncoderLayer>(width, heads, options, where));
  }
  for (std::int64_t i = 0; i < options.num_decoder_layers; ++i) {
    decoder.layers.push_back(
        detail::transformer_layer<TransformerDecoderLayer>(width, heads, options, where));
  }
  const auto start = [&](auto& layer) {
    detail::start_xavier(layer.self_attn, where);
    init::xavier_uniform_(layer.linear1.weight, 1, where);
    init::xavier_uniform_(layer.linear2.weight, 1, where);
  };
  for (TransformerEncoderLayer& layer : encoder.layers) start(layer);
  for (TransformerDecoderLayer& layer : decoder.layers) {
    start(layer), detail::start_xavier(layer.multihead_attn, where);
  }
}

SINTER_INLINE Tensor Transformer::forward(Operand src, const Tensor& tgt,
                                          const TransformerMasks& masks) const {
  const Tensor memory =
      encoder(src, masks.src_mask, masks.src_key_padding_mask, masks.src_is_causal);
  return decoder({tgt, src.where}, memory,
                 {.tgt_mask = masks.tgt_mask,
                  .memory_mask = masks.memory_mask,
                  .tgt_key_padding_mask = masks.tgt_key_padding_mask,
                  .memory_key_padding_mask = masks.memory_key_padding_mask,
                  .tgt_is_causal = masks.tgt_is_causal,
                  .memory_is_causal = masks.memory_is_causal});
}

SINTER_INLINE Tensor Transformer::generate_square_subsequent_mask(Extent size, Where where) {
  constexpr float lowest = -std::numeric_limits<float>::infinity();
  return triu({full({size, size}, {lowest, where}, f32), where}, 1);
}

}  // namespace sinter::inline SINTER_ABI::nn
