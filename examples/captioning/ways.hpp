#pragma once
// The ways to compile a training step that the table compares.

#include <sinter/sinter.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model.hpp"
#include "training.hpp"

namespace captioning {

/// How long captions are handed to the step.
enum class Lengths { as_they_are, padded, marked, bucketed };

/// A training step, and the statistics of what it compiles.
struct Way {
  std::function<Tensor(Training&, const Tensor& images, const Tensor& tokens)> step{};
  std::function<std::vector<sinter::Stats>()> stats{};
};

inline Way eager_way() {
  return {[](Training& training, const Tensor& images, const Tensor& tokens) {
            return train_step(training.model, training.optimizer, images, tokens, false);
          },
          [] { return std::vector<sinter::Stats>(); }};
}

inline Way whole_way(sinter::CompileOptions options) {
  options.name = "train_step";
  const auto step = compile(train_step, options);
  return {[step](Training& training, const Tensor& images, const Tensor& tokens) {
            return step(training.model, training.optimizer, images, tokens, false);
          },
          [step] { return std::vector{step.stats()}; }};
}

// The parts of the step, as functions of their own.

inline Tensor encoder_part(const models::Captioner& model, const Tensor& images) {
  return model.encode(normalized(images));
}
inline Tensor decoder_part(const models::Captioner& model, const Tensor& ids,
                           const Tensor& encoded) {
  return model.decode(ids, encoded);
}
inline Tensor loss_part(const Tensor& logits, const Tensor& targets) {
  return cross_entropy(reshape(logits, {-1, logits.size(-1)}), reshape(targets, {-1}),
                       {.ignore_index = padding});
}
inline void optimizer_part(models::Captioner& model, sinter::optim::AdamW& optimizer,
                           sinter::Gradients& gradients) {
  clip_grad_norm(gradients, 1.0);
  optimizer.step(model, gradients);
}
inline Tensor encoder_block(const models::ViTBlock& block, const Tensor& x) { return block(x); }
inline Tensor decoder_block(const models::GPT2Block& block, const Tensor& x,
                            const Tensor& encoded) {
  return block(x, Tensor(), models::GPT2Source{encoded, Tensor()});
}

struct Caption {
  Tensor ids{}, targets{};
};

// The tokens before each token, and the tokens themselves; slices have no marks.
inline Caption split_caption(const Tensor& tokens) {
  using sinter::all;
  using sinter::Slice;
  Caption result{tokens[{all, Slice{0, -1}}], tokens[{all, Slice{1, {}}}]};
  mark_dynamic(result.ids, 1);
  mark_dynamic(result.targets, 1);
  return result;
}

inline Way apart_way() {
  using sinter::compile;
  const auto encode = compile(encoder_part, {.fullgraph = true, .name = "encoder"});
  const auto decode = compile(decoder_part, {.dynamic = sinter::Dynamic::on, .name = "decoder"});
  const auto loss = compile(loss_part, {.name = "loss", .numerics = sinter::Numerics::strict});
  const auto update = compile(optimizer_part, {.name = "optimizer", .threads = 1});
  return {[=](Training& training, const Tensor& images, const Tensor& tokens) {
            const Caption caption = split_caption(tokens);
            const models::Captioner& model = training.model;
            auto [value, gradients] = sinter::value_and_grad(training.model, [&] {
              return loss(decode(model, caption.ids, encode(model, images)), caption.targets);
            });
            update(training.model, training.optimizer, gradients);
            return value;
          },
          [=] {
            return std::vector{encode.stats(), decode.stats(), loss.stats(), update.stats()};
          }};
}

// The model, with a function for each kind of block.
template <class EncoderBlock, class DecoderBlock>
Tensor logits_by_blocks(const models::Captioner& model, const Tensor& images, const Tensor& ids,
                        const EncoderBlock& encoder, const DecoderBlock& decoder) {
  const models::VisionTransformer& vision = model.encoder;
  const Tensor patches = transpose(flatten(vision.conv_proj(normalized(images)), 2), 1, 2);
  const Tensor first = expand(vision.class_token, {patches.size(0), 1, patches.size(2)});
  Tensor x = sinter::concatenate({first, patches}, 1) + vision.encoder.pos_embedding;
  for (const auto& [name, block] : vision.encoder.layers) x = encoder(block, x);
  const Tensor encoded = vision.encoder.ln(x);
  const models::GPT2Transformer& language = model.decoder.transformer;
  Tensor y = language.wte(ids) + language.wpe(sinter::arange(ids.size(1)));
  for (const models::GPT2Block& block : language.h) {
    mark_dynamic(y, 1);
    y = decoder(block, y, encoded);
  }
  return linear(language.ln_f(y), language.wte.weight);
}

/// One recording for the blocks of the encoder, and one for those of the decoder; the rest of the
/// forward and backward pass is eager.
inline Way blocks_way() {
  using sinter::compile;
  const auto encoder = compile(encoder_block, {.name = "encoder_block"});
  const auto decoder = compile(decoder_block, {.name = "decoder_block"});
  const auto update = compile(optimizer_part, {.name = "optimizer"});
  return {[=](Training& training, const Tensor& images, const Tensor& tokens) {
            const Caption caption = split_caption(tokens);
            auto [value, gradients] = sinter::value_and_grad(training.model, [&] {
              return loss_part(
                  logits_by_blocks(training.model, images, caption.ids, encoder, decoder),
                  caption.targets);
            });
            update(training.model, training.optimizer, gradients);
            return value;
          },
          [=] {
            return std::vector{encoder.stats(), decoder.stats(), update.stats()};
          }};
}

inline Way optimizer_way() {
  const auto update = sinter::compile(optimizer_part, {.name = "optimizer"});
  return {[=](Training& training, const Tensor& images, const Tensor& tokens) {
            auto [value, gradients] = sinter::value_and_grad(
                training.model, [&] { return loss_of(training.model, images, tokens); });
            update(training.model, training.optimizer, gradients);
            return value;
          },
          [=] { return std::vector{update.stats()}; }};
}

/// A row of the table.
struct Row {
  std::string name{}, key{};
  Lengths lengths = Lengths::marked;
  std::function<Way()> make{};
  bool is_slow = false;  ///< Interpreted: a few steps are measured.
};

inline std::vector<Row> rows() {
  using sinter::CompileOptions;
  const auto whole = [](const CompileOptions& options) {
    return [options] { return whole_way(options); };
  };
  const CompileOptions fixed{.dynamic = sinter::Dynamic::off, .fullgraph = true};
  const CompileOptions any{.fullgraph = true};
  return {
      {"eager", "eager", Lengths::as_they_are, eager_way, true},
      {"optimizer compiled, the rest eager", "optimizer", Lengths::as_they_are, optimizer_way,
       true},
      {"repeated blocks compiled, and the optimizer", "blocks", Lengths::marked, blocks_way, true},
      {"encoder, decoder, loss, optimizer apart", "apart", Lengths::marked, apart_way},
      {"whole step, static, captions padded to 40", "padded", Lengths::padded, whole(fixed)},
      {"whole step, buckets of 10, 20, 30, 40", "buckets", Lengths::bucketed, whole(any)},
      {"whole step, automatic", "automatic", Lengths::as_they_are, whole(any)},
      {"whole step, marked dynamic", "marked", Lengths::marked, whole(any)},
  };
}

}  // namespace captioning
