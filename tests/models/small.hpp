#pragma once
// The small models whose weights and results make_models.py stores, and how it calls them.

#include <sinter/models/bert.hpp>
#include <sinter/models/captioner.hpp>
#include <sinter/models/llama.hpp>
#include <sinter/models/pretrained.hpp>

#include "models/reference.hpp"

namespace reference_models {

inline models::BertOptions small_bert() {
  return {.vocab_size = 32,
          .hidden_size = 16,
          .num_hidden_layers = 2,
          .num_attention_heads = 4,
          .intermediate_size = 24,
          .max_position_embeddings = 12};
}

inline Tensor run(models::Bert& model, const Arrays& arrays) {
  const Tensor& mask = arrays.at("in.attention_mask");
  const auto [hidden, pooled] =
      model(arrays.at("in.input_ids"), mask, arrays.at("in.token_type_ids"));
  return concatenate({hidden * unsqueeze(mask, -1), unsqueeze(pooled, 1)}, 1);
}

inline models::GPT2Options small_gpt2() {
  return {.vocab_size = 32,
          .n_positions = 12,
          .n_embd = 16,
          .n_layer = 2,
          .n_head = 4,
          .n_inner = 32,
          .scale_attn_by_inverse_layer_idx = true};
}

/// The padding is on the left: its rows have no key at all.
inline Tensor run(models::GPT2& model, const Arrays& arrays) {
  const Tensor& mask = arrays.at("in.attention_mask");
  const Tensor logits = model(arrays.at("in.input_ids"), mask, arrays.at("in.position_ids"));
  return logits * unsqueeze(mask, -1);
}

inline models::LlamaOptions small_llama() {
  return {.vocab_size = 32,
          .hidden_size = 16,
          .intermediate_size = 24,
          .num_hidden_layers = 2,
          .num_attention_heads = 4,
          .num_key_value_heads = 2,
          .max_position_embeddings = 64,
          .head_dim = 8};
}

/// small_llama() with biases, and positions as in Llama 3.
inline models::LlamaOptions stored_llama() {
  models::LlamaOptions options = small_llama();
  options.attention_bias = true;
  options.rope_theta = 500;
  options.rope_scaling = {
      .rope_type = "llama3", .factor = 8, .original_max_position_embeddings = 32};
  return options;
}

inline Tensor run(models::Llama& model, const Arrays& arrays) {
  return model(arrays.at("in.input_ids"));
}

inline models::ViTOptions small_vit() {
  return {.hidden_size = 16,
          .num_hidden_layers = 2,
          .num_attention_heads = 4,
          .intermediate_size = 20,
          .layer_norm_eps = 1e-6,
          .image_size = 8,
          .patch_size = 4,
          .num_labels = 5};
}

inline Tensor run(models::VisionTransformer& model, const Arrays& arrays) {
  return model(arrays.at("in.images"));
}

inline models::Captioner small_captioner(bool has_cross_attention = true) {
  models::ViTOptions vision = small_vit();
  vision.hidden_size = 12;
  vision.num_hidden_layers = 1;
  return {models::VisionTransformer(vision),
          models::GPT2({.vocab_size = 24,
                        .n_positions = 8,
                        .n_embd = 8,
                        .n_layer = 1,
                        .n_head = 2,
                        .add_cross_attention = has_cross_attention})};
}

inline Tensor run(models::Captioner& model, const Arrays& arrays) {
  return model(arrays.at("in.images"), arrays.at("in.input_ids"));
}

/// run(model, arrays), and the gradients of its product with `dout`.
template <class Model>
std::pair<Tensor, Gradients> output_and_gradients(Model& model, const Arrays& arrays) {
  const auto [loss, gradients] =
      value_and_grad(model, [&] { return sum(run(model, arrays) * arrays.at("dout")); });
  return {run(model, arrays), gradients};
}

enum class Form { eager, compiled };

/// Loads NAME.safetensors into `model`, and compares with NAME.expected.safetensors.
template <class Model>
void compare(const std::string& name, Model& model, Form form) {
  models::load_pretrained(model, path_of(name + ".safetensors"));
  const Arrays arrays = io::load_tensors(path_of(name + ".expected.safetensors"));
  auto compiled = compile(output_and_gradients<Model>, {.fullgraph = true});
  const auto [output, gradients] =
      form == Form::compiled ? compiled(model, arrays) : output_and_gradients(model, arrays);
  CHECK(distance(output, arrays.at("output")) < 3e-6);
  std::size_t compared = 0, stored = 0;
  for (const auto& [parameter, gradient] : gradients) {
    CAPTURE(parameter);
    CHECK(distance(gradient, arrays.at("grad." + parameter)) < 2e-5);
    ++compared;
  }
  for (const auto& [key, array] : arrays) stored += key.starts_with("grad.");
  CHECK(compared == stored);
}

}  // namespace reference_models
