#pragma once
// Transformer decoder layers.

#include <cstdint>   // std::int64_t
#include <optional>  // std::optional

#include <sinter/config.hpp>
#include <sinter/nn/attention.hpp>
#include <sinter/nn/encoder.hpp>

namespace sinter::inline SINTER_ABI::nn {

using TransformerDecoderLayerOptions = TransformerLayerOptions;

/// The masks of a decoder, in torch's words: `tgt` is the sequence that it continues, `memory` what
/// the encoder gave. Each as in AttentionMasks.
struct DecoderMasks {
  Tensor tgt_mask{};                 ///< (targets, targets) or (batch * heads, targets, targets)
  Tensor memory_mask{};              ///< (targets, memory) or (batch * heads, targets, memory)
  Tensor tgt_key_padding_mask{};     ///< (batch, targets)
  Tensor memory_key_padding_mask{};  ///< (batch, memory)
  bool tgt_is_causal = false;        ///< Each target attends only to those up to its own position.
  bool memory_is_causal = false;
  SINTER_MODULE(DecoderMasks, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask,
                tgt_is_causal, memory_is_causal)
};

/// x = norm1(x + self_attn(x)); x = norm2(x + multihead_attn(x, memory));
/// norm3(x + linear2(activation(linear1(x)))), with dropout in each block.
///
/// Shapes   tgt (length, batch, width), memory (length, batch, width); with batch_first (batch,
///          length, width); or both without a batch
/// Throws   ValueError unless heads divide the width; ShapeError if the shapes do not fit
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.nn.TransformerDecoderLayer.html
struct TransformerDecoderLayer {
  MultiheadAttention self_attn, multihead_attn;
  Linear linear1;
  Dropout dropout;
  Linear linear2;
  LayerNorm norm1, norm2, norm3;
  Dropout dropout1, dropout2, dropout3;
  Activation activation = Activation::relu;
  bool norm_first = false;
  SINTER_ACCESSORS(TransformerDecoderLayer, self_attn, multihead_attn, linear1, dropout, linear2,
                   norm1, norm2, norm3, dropout1, dropout2, dropout3, activation, norm_first)

  TransformerDecoderLayer() = default;
  TransformerDecoderLayer(std::int64_t width, std::int64_t heads,
                          TransformerDecoderLayerOptions options = {},
                          Where where = Where::current());

  Tensor forward(Operand tgt, const Tensor& memory, const DecoderMasks& masks = {}) const;
  // Takes masks in braces, which the call of SINTER_MODULE does not.
  template <class Self = TransformerDecoderLayer>
  Tensor operator()(Operand tgt, const Tensor& memory, const DecoderMasks& masks = {}) const {
    const sinter::detail::ModuleScope sinter_scope(static_cast<const Self*>(this));
    SINTER_FORWARD(forward(tgt, memory, masks))
  }
};

/// A stack of layers, each initialized as a copy of `layer`, followed by `norm` if given.
///
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.nn.TransformerDecoder.html
struct TransformerDecoder {
  ModuleList<TransformerDecoderLayer> layers;
  std::optional<LayerNorm> norm;
  SINTER_ACCESSORS(TransformerDecoder, layers, norm)

  TransformerDecoder() = default;
  TransformerDecoder(const TransformerDecoderLayer& layer, std::int64_t count,
                     std::optional<LayerNorm> last = {});

  Tensor forward(Operand tgt, const Tensor& memory, const DecoderMasks& masks = {}) const;
  template <class Self = TransformerDecoder>
  Tensor operator()(Operand tgt, const Tensor& memory, const DecoderMasks& masks = {}) const {
    const sinter::detail::ModuleScope sinter_scope(static_cast<const Self*>(this));
    SINTER_FORWARD(forward(tgt, memory, masks))
  }
};

}  // namespace sinter::inline SINTER_ABI::nn

#ifdef SINTER_DEFINITIONS
#include <sinter/nn/decoder.ipp>
#endif
