#pragma once
// The model, a vision transformer with a decoder that attends to it, and its training step.

#include <sinter/data.hpp>
#include <sinter/models.hpp>
#include <sinter/sinter.hpp>

#include <cstdint>
#include <optional>
#include <utility>

#include "words.hpp"

namespace captioning {

using sinter::Tensor;
namespace models = sinter::models;

struct Size {
  std::int64_t width = 96, heads = 4, encoder_layers = 4, decoder_layers = 2, patch = 12;
};

inline models::Captioner new_model(const Size& size, std::uint64_t seed) {
  sinter::random::manual_seed(seed);
  models::VisionTransformer encoder({.hidden_size = size.width,
                                     .num_hidden_layers = size.encoder_layers,
                                     .num_attention_heads = size.heads,
                                     .intermediate_size = 2 * size.width,
                                     .initializer_range = 0.3,
                                     .layer_norm_eps = 1e-6,
                                     .image_size = 96,
                                     .patch_size = size.patch,
                                     .num_channels = 1,
                                     .num_labels = 0});
  models::GPT2 decoder({.vocab_size = static_cast<std::int64_t>(pieces.size()),
                        .n_positions = static_cast<std::int64_t>(longest),
                        .n_embd = size.width,
                        .n_layer = size.decoder_layers,
                        .n_head = size.heads,
                        .n_inner = 2 * size.width,
                        .initializer_range = 0.1,
                        .add_cross_attention = true});
  return models::Captioner(std::move(encoder), std::move(decoder));
}

/// u8[n, 1, 96, 96] as f32, about standardised.
inline Tensor normalized(const Tensor& images) {
  return sinter::data::normalize(images, {0.13}, {0.29});
}

/// Each token is predicted from the image and the tokens before it. Padding does not count.
inline Tensor loss_of(const models::Captioner& model, const Tensor& images, const Tensor& tokens) {
  using sinter::all;
  using sinter::Slice;
  const Tensor logits = model(normalized(images), tokens[{all, Slice{0, -1}}]);
  return cross_entropy(reshape(logits, {-1, logits.size(-1)}),
                       reshape(tokens[{all, Slice{1, {}}}], {-1}), {.ignore_index = padding});
}

/// What a checkpoint has.
struct Training {
  models::Captioner model;
  sinter::optim::AdamW optimizer;
  sinter::Scalar epoch = 0;  ///< The next one.
  SINTER_MODULE(Training, model, optimizer, epoch)
};

inline sinter::optim::AdamW new_optimizer() {
  return sinter::optim::AdamW{.beta2 = 0.98, .weight_decay = 0.05f}
      .group("*.bias", {.weight_decay = 0.0f})
      .group("*ln*", {.weight_decay = 0.0f});
}

/// Forward, loss, backward and optimizer: one graph. With `bf16`, products are computed in bf16.
inline Tensor train_step(models::Captioner& model, sinter::optim::AdamW& optimizer,
                         const Tensor& images, const Tensor& tokens, bool bf16) {
  auto [loss, gradients] = sinter::value_and_grad(model, [&] {
    std::optional<sinter::amp::ScopedAutocast> scope;
    if (bf16) scope.emplace(sinter::bf16);
    return loss_of(model, images, tokens);
  });
  clip_grad_norm(gradients, 1.0);
  optimizer.step(model, gradients);
  return loss;
}

}  // namespace captioning
