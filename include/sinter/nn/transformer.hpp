#pragma once
// The transformer of encoder and decoder.

#include <cstdint>  // std::int64_t

#include <sinter/config.hpp>
#include <sinter/nn/decoder.hpp>
#include <sinter/nn/encoder.hpp>

namespace sinter::inline SINTER_ABI::nn {

struct TransformerOptions {
  std::int64_t num_encoder_layers = 6, num_decoder_layers = 6;
  std::int64_t dim_feedforward = 2048;  ///< The width between the two linear layers.
  double dropout = 0.1;
  Activation activation = Activation::relu;
  double layer_norm_eps = 1e-5;
  bool batch_first = false;  ///< Axes batch, length, width; else length, batch, width.
  bool norm_first = false;   ///< Pre-norm; otherwise norms follow the residual sums.
  bool bias = true;
};

/// The masks of a transformer, in torch's words: `src` is what the encoder reads. Each as in
/// AttentionMasks.
struct TransformerMasks {
  Tensor src_mask{}, tgt_mask{}, memory_mask{};
  Tensor src_key_padding_mask{}, tgt_key_padding_mask{}, memory_key_padding_mask{};
  bool src_is_causal = false, tgt_is_causal = false, memory_is_causal = false;
  SINTER_MODULE(TransformerMasks, src_mask, tgt_mask, memory_mask, src_key_padding_mask,
                tgt_key_padding_mask, memory_key_padding_mask, src_is_causal, tgt_is_causal,
                memory_is_causal)
};

/// decoder(tgt, encoder(src)); both end with a norm. Matrices start as xavier_uniform_.
///
/// Shapes   src (length, batch, width), tgt (length, batch, width); with batch_first (batch,
/// length,
///          width); or both without a batch; the result has the shape of tgt
/// Throws   ValueError unless heads divide the width; ShapeError if the shapes do not fit
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.nn.Transformer.html
struct Transformer {
  TransformerEncoder encoder;
  TransformerDecoder decoder;
  SINTER_ACCESSORS(Transformer, encoder, decoder)

  Transformer(std::int64_t width = 512, std::int64_t heads = 8, TransformerOptions options = {},
              Where where = Where::current());

  Tensor forward(Operand src, const Tensor& tgt, const TransformerMasks& masks = {}) const;
  template <class Self = Transformer>
  Tensor operator()(Operand src, const Tensor& tgt, const TransformerMasks& masks = {}) const {
    const sinter::detail::ModuleScope sinter_scope(static_cast<const Self*>(this));
    SINTER_FORWARD(forward(src, tgt, masks))
  }

  /// (size, size): -infinity above the diagonal, else 0.
  static Tensor generate_square_subsequent_mask(Extent size, Where where = Where::current());
};

}  // namespace sinter::inline SINTER_ABI::nn

#ifdef SINTER_DEFINITIONS
#include <sinter/nn/transformer.ipp>
#endif
