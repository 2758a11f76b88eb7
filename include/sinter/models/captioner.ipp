#pragma once

#include <utility>  // std::move

#include <sinter/models/captioner.hpp>

namespace sinter::inline SINTER_ABI::models {

SINTER_INLINE Captioner::Captioner(VisionTransformer vision, GPT2 language, Where where)
    : encoder(std::move(vision)), decoder(std::move(language)) {
  if (!decoder.transformer.h[0].crossattention) {
    throw ValueError({.op = "Captioner",
                      .what = "the decoder has no cross attention",
                      .facts = {{"add_cross_attention", "false"}},
                      .rule = "the decoder attends to the tokens of the image",
                      .fix = "build it with GPT2Options{.add_cross_attention = true}",
                      .where = where});
  }
  encoder.heads.reset();
  const std::int64_t from = encoder.class_token.size(2).value();
  const std::int64_t to = decoder.transformer.wte.weight.size(1).value();
  if (from != to) enc_to_dec_proj.emplace(from, to, nn::LinearOptions{}, where);
}

SINTER_INLINE Tensor Captioner::encode(Operand images) const {
  const Tensor tokens = encoder.encode(images);
  return enc_to_dec_proj ? (*enc_to_dec_proj)(tokens) : tokens;
}

SINTER_INLINE Tensor Captioner::decode(Operand input_ids, const Tensor& encoded,
                                       const Tensor& attention_mask) const {
  return decoder(input_ids, attention_mask, Tensor(), encoded);
}

SINTER_INLINE DecoderCache Captioner::new_cache(const Tensor& encoded, std::int64_t positions,
                                                Where where) const {
  return decoder.new_cache(encoded.size(0), positions, encoded, where);
}

SINTER_INLINE Tensor Captioner::next(Operand input_ids, DecoderCache& cache) const {
  return decoder.next(input_ids, cache);
}

SINTER_INLINE Tensor Captioner::forward(Operand images, const Tensor& input_ids,
                                        const Tensor& attention_mask) const {
  return decode({input_ids, images.where}, encode(images), attention_mask);
}

}  // namespace sinter::inline SINTER_ABI::models
