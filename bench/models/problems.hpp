#pragma once
// The models of <sinter/models.hpp> that are measured: sizes, inputs, weights, losses and steps.
// torch_peer.py has the same sizes, and makes the same inputs and weights.

#include <algorithm>    // std::min
#include <cstdint>      // std::int64_t, std::uint32_t
#include <string>       // std::string
#include <type_traits>  // std::is_same_v
#include <vector>       // std::vector

#include <sinter/models.hpp>
#include <sinter/sinter.hpp>

namespace bench {

using sinter::Tensor;
namespace models = sinter::models;
namespace nn = sinter::nn;
namespace optim = sinter::optim;

/// BERT with a head for classes of texts, as BertForSequenceClassification.
struct TextClassifier {
  models::Bert bert{};
  nn::Linear classifier{768, 2};
  SINTER_MODULE(TextClassifier, bert, classifier)
  Tensor forward(sinter::Operand ids) const { return classifier(bert(ids).pooler_output); }
};

/// What a model gets, and the classes or next tokens that it should give.
struct Batch {
  Tensor images{}, tokens{}, labels{};
  SINTER_MODULE(Batch, images, tokens, labels)
};

struct Problem {
  const char* name;
  std::int64_t train_batch;  ///< Examples of a training step.
  double multiply_adds;      ///< Of a forward pass on one example, in millions; of its summary().
  std::int64_t image;        ///< Pixels along an edge; 0: no image.
  std::int64_t length;       ///< Tokens; 0: none.
  std::int64_t words;        ///< Different tokens.
  std::int64_t classes;      ///< Of an example; 0: the labels are the next tokens.
};

/// ViT-S/16, and as the encoder of the captioner; its decoder has six layers of the same width.
inline const std::vector<Problem> problems{
    {"alexnet", 32, 714, 224, 0, 0, 1000},  {"resnet18", 16, 1814, 224, 0, 0, 1000},
    {"resnet50", 8, 4089, 224, 0, 0, 1000}, {"resnext50", 8, 4230, 224, 0, 0, 1000},
    {"vit", 8, 4599, 224, 0, 0, 1000},      {"bert", 4, 11174, 0, 128, 30522, 2},
    {"gpt2", 2, 16114, 0, 128, 50257, 0},   {"captioner", 8, 5292, 224, 20, 10000, 0},
};

/// Numbers in [-0.5, 0.5) that depend on a name and their place.
inline std::vector<float> hashed(const std::string& name, std::int64_t count) {
  std::uint32_t state = 1;
  for (const char letter : name) state = state * 31 + static_cast<unsigned char>(letter);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint32_t mixed = (static_cast<std::uint32_t>(i) + state) * 2654435761u;
    mixed = (mixed ^ (mixed >> 16)) * 0x85EBCA6Bu;
    mixed = (mixed ^ (mixed >> 13)) * 0xC2B2AE35u;
    values[i] = static_cast<float>((mixed ^ (mixed >> 16)) >> 8) / 16777216.0f - 0.5f;
  }
  return values;
}

/// Fills all parameters; gains of norms are about 1.
template <class Model>
void fill(Model& model) {
  nn::for_each_parameter(model, [](const std::string& name, Tensor& parameter) {
    std::vector<float> values = hashed(name, parameter.numel().value());
    const bool is_gain = parameter.ndim() == 1 && name.ends_with("weight");
    for (float& value : values) value = is_gain ? 1 + 0.1f * value : 0.08f * value;
    parameter = sinter::from_vector(values, parameter.shape());
  });
}

/// (first + 0, 1, ...) * 7919 % below
inline Tensor spread_numbers(std::int64_t first, sinter::Shape shape, std::int64_t below) {
  std::int64_t count = 1;
  for (int i = 0; i < shape.size(); ++i) count *= shape[i].value();
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  for (std::int64_t& value : values) value = first++ * 7919 % below;
  return sinter::from_vector(values, shape);
}

inline Batch make_batch(const Problem& problem, std::int64_t count) {
  Batch batch;
  if (problem.image > 0) {
    const std::int64_t pixels = count * 3 * problem.image * problem.image;
    batch.images =
        4 * sinter::from_vector(hashed("images", pixels), {count, 3, problem.image, problem.image});
    sinter::detail::evaluate(batch.images);
  }
  if (problem.length > 0) {
    batch.tokens = spread_numbers(0, {count, problem.length}, problem.words);
  }
  batch.labels = problem.classes > 0 ? spread_numbers(0, {count}, problem.classes)
                                     : spread_numbers(1, {count, problem.length}, problem.words);
  return batch;
}

template <class Model>
Tensor logits_of(Model& model, const Batch& batch) {
  if constexpr (std::is_same_v<std::remove_const_t<Model>, models::Captioner>) {
    return model(batch.images, batch.tokens);
  } else {
    return model(batch.images.defined() ? batch.images : batch.tokens);
  }
}

template <class Model>
Tensor infer(const Model& model, const Batch& batch) {
  return logits_of(model, batch);
}

/// Forward, loss, gradients and update, as one graph.
template <class Model, class Optimizer>
Tensor train_step(Model& model, Optimizer& optimizer, const Batch& batch) {
  auto [loss, gradients] = sinter::value_and_grad(model, [&] {
    const Tensor logits = logits_of(model, batch);
    return cross_entropy(reshape(logits, {-1, logits.size(-1)}), reshape(batch.labels, {-1}));
  });
  optimizer.step(model, gradients);
  return loss;
}

inline models::VisionTransformer small_vit() {
  return models::VisionTransformer({.hidden_size = 384,
                                    .num_attention_heads = 6,
                                    .intermediate_size = 1536,
                                    .layer_norm_eps = 1e-6});
}

inline models::Captioner captioner() {
  return models::Captioner(small_vit(), models::GPT2({.vocab_size = 10000,
                                                      .n_positions = 64,
                                                      .n_embd = 384,
                                                      .n_layer = 6,
                                                      .n_head = 6,
                                                      .add_cross_attention = true}));
}

// Small steps: two in f32 differ from each other and from f64 by some percent of the change of the
// loss, since batch norms of few images amplify rounding.
inline optim::SGD sgd() { return {.learning_rate = 1e-5f, .momentum = 0.9, .weight_decay = 1e-4f}; }
inline optim::AdamW adamw() { return {.learning_rate = 1e-5f}; }

/// Calls use(model, optimizer) for the model of this name, without dropout.
template <class Use>
void with_model(const std::string& name, Use use) {
  if (name == "alexnet") return use(models::AlexNet(1000, 0.0), sgd());
  if (name == "resnet18") return use(models::resnet18(), sgd());
  if (name == "resnet50") return use(models::resnet50(), sgd());
  if (name == "resnext50") return use(models::resnext50_32x4d(), sgd());
  if (name == "vit") return use(small_vit(), adamw());
  if (name == "bert") return use(TextClassifier(), adamw());
  if (name == "gpt2") return use(models::GPT2(), adamw());
  if (name == "captioner") return use(captioner(), adamw());
}

}  // namespace bench
