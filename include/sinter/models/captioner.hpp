#pragma once
// Captions of images: a vision transformer whose tokens GPT-2 attends to.

#include <optional>  // std::optional

#include <sinter/models/gpt2.hpp>
#include <sinter/models/vit.hpp>
#include <sinter/sinter.hpp>

namespace sinter::inline SINTER_ABI::models {

/// The encoder loses its head, which captions do not need.
///
/// Shapes   images as those of the encoder, input_ids (batch, length) -> (batch, length,
///          vocab_size), logits
/// Throws   ValueError unless the decoder has cross attention
/// Source   https://huggingface.co/docs/transformers/model_doc/vision-encoder-decoder
struct Captioner {
  VisionTransformer encoder;
  GPT2 decoder;
  std::optional<nn::Linear> enc_to_dec_proj;  ///< If the two have different widths.
  SINTER_MODULE(Captioner, encoder, decoder, enc_to_dec_proj)

  Captioner(VisionTransformer vision, GPT2 language, Where where = Where::current());

  Tensor forward(Operand images, const Tensor& input_ids, const Tensor& attention_mask = {}) const;
  /// What the decoder attends to, (batch, tokens, n_embd); compute it once to write a caption.
  Tensor encode(Operand images) const;
  /// The logits of input_ids, given what encode() returned.
  Tensor decode(Operand input_ids, const Tensor& encoded, const Tensor& attention_mask = {}) const;

  /// A cache for captions of at most `positions` tokens, given what encode() returned; for
  /// generate() and next(). As GPT2::new_cache().
  DecoderCache new_cache(const Tensor& encoded, std::int64_t positions,
                         Where where = Where::current()) const;
  /// As GPT2::next().
  Tensor next(Operand input_ids, DecoderCache& cache) const;
};

}  // namespace sinter::inline SINTER_ABI::models

#ifdef SINTER_DEFINITIONS
#include <sinter/models/captioner.ipp>
#endif
