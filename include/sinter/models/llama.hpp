#pragma once
// Decoders like Llama, with the parameters of Hugging Face: rotary positions, RMS norms, SwiGLU,
// grouped queries.

#include <optional>  // std::optional
#include <string>    // std::string

#include <sinter/models/activation.hpp>
#include <sinter/models/cache.hpp>
#include <sinter/sinter.hpp>

namespace sinter::inline SINTER_ABI::models {

/// How rotary positions reach beyond the lengths of the training.
struct RopeScaling {
  std::string rope_type = "default";  ///< default, linear or llama3.
  double factor = 1;
  double low_freq_factor = 1;  ///< The rest is for llama3.
  double high_freq_factor = 4;
  std::int64_t original_max_position_embeddings = 8192;
  SINTER_MODULE(RopeScaling, rope_type, factor, low_freq_factor, high_freq_factor,
                original_max_position_embeddings)
};

/// The fields of config.json with their defaults.
struct LlamaOptions {
  std::int64_t vocab_size = 32000;
  std::int64_t hidden_size = 4096;
  std::int64_t intermediate_size = 11008;
  std::int64_t num_hidden_layers = 32;
  std::int64_t num_attention_heads = 32;
  std::optional<std::int64_t> num_key_value_heads{};  ///< num_attention_heads, unless it is given.
  std::string hidden_act = "silu";
  std::int64_t max_position_embeddings = 2048;
  double initializer_range = 0.02;
  double rms_norm_eps = 1e-6;
  std::optional<std::int64_t> pad_token_id{};
  bool tie_word_embeddings = false;
  double rope_theta = 10000;
  RopeScaling rope_scaling{};
  bool attention_bias = false;
  double attention_dropout = 0;
  bool mlp_bias = false;
  std::optional<std::int64_t> head_dim{};  ///< hidden_size / num_attention_heads, unless given.
};

/// Cosines and sines of positions, each broadcastable to (batch, heads, length, head_dim / 2).
struct RotaryAngles {
  Tensor cosine, sine;
  SINTER_MODULE(RotaryAngles, cosine, sine)
};

/// Its frequencies are computed in f64, and are no state: casts of the model leave them alone.
struct LlamaRotary {
  std::int64_t width = 2;  ///< Of a head.
  double theta = 10000;
  RopeScaling scaling{};
  SINTER_MODULE(LlamaRotary, width, theta, scaling)

  /// Of positions (length) or (batch, length).
  RotaryAngles forward(Operand positions) const;
};

struct LlamaAttention {
  nn::Linear q_proj, k_proj, v_proj, o_proj;
  std::int64_t heads = 1, key_value_heads = 1;
  nn::Dropout dropout;
  SINTER_MODULE(LlamaAttention, q_proj, k_proj, v_proj, o_proj, heads, key_value_heads, dropout)

  LlamaAttention() = default;
  LlamaAttention(const LlamaOptions& options, Where where);

  Tensor forward(Operand x, const RotaryAngles& angles, const Tensor& mask) const;
  /// Of the next tokens, whose keys and values are added to `past`, behind `length` others.
  Tensor extend(Operand x, const RotaryAngles& angles, const Tensor& mask, KeyValues& past,
                const Scalar& length) const;

 private:
  struct Heads {
    Tensor query, key, value;
  };
  Heads project(const Operand& x, const RotaryAngles& angles) const;
};

/// down_proj(activation(gate_proj(x)) * up_proj(x))
struct LlamaMLP {
  nn::Linear gate_proj, up_proj, down_proj;
  Activate activation;
  SINTER_MODULE(LlamaMLP, gate_proj, up_proj, down_proj, activation)
  Tensor forward(Operand x) const { return down_proj(activation(gate_proj(x)) * up_proj(x)); }
};

struct LlamaLayer {
  LlamaAttention self_attn;
  LlamaMLP mlp;
  nn::RMSNorm input_layernorm, post_attention_layernorm;
  SINTER_MODULE(LlamaLayer, self_attn, mlp, input_layernorm, post_attention_layernorm)

  LlamaLayer() = default;
  LlamaLayer(const LlamaOptions& options, Where where);

  Tensor forward(Operand x, const RotaryAngles& angles, const Tensor& mask) const;
  /// The next tokens: `past` gets their keys and values.
  Tensor extend(Operand x, const RotaryAngles& angles, const Tensor& mask, KeyValues& past,
                const Scalar& length) const;
};

struct LlamaModel {
  nn::Embedding embed_tokens;
  nn::ModuleList<LlamaLayer> layers;
  nn::RMSNorm norm;
  LlamaRotary rotary_emb;
  std::int64_t max_position_embeddings = 0;
  SINTER_MODULE(LlamaModel, embed_tokens, layers, norm, rotary_emb, max_position_embeddings)

  LlamaModel() = default;
  LlamaModel(const LlamaOptions& options, Where where);

  /// The arguments of Llama -> (batch, length, hidden_size)
  Tensor forward(Operand input_ids, const Tensor& attention_mask = {},
                 const Tensor& position_ids = {}) const;
  /// (batch, length, hidden_size) of the next tokens, which are added to the cache.
  Tensor extend(Operand input_ids, DecoderCache& cache) const;
};

/// A causal language model. attention_mask is (batch, length), 0 for padding; an undefined one has
/// no padding. Undefined position_ids are 0, 1, 2, ...
///
/// Dropout is off until nn::train(model).
///
/// Shapes   input_ids (batch, length), length <= max_position_embeddings -> (batch, length,
///          vocab_size), logits
/// Throws   ValueError if the options do not fit; ShapeError or DTypeError if the arguments do not
/// Source   https://huggingface.co/docs/transformers/model_doc/llama
struct Llama {
  LlamaModel model;
  std::optional<nn::Linear> lm_head;  ///< Unless it is tied to the embeddings.
  SINTER_MODULE(Llama, model, lm_head)

  explicit Llama(const LlamaOptions& options = {}, Where where = Where::current());

  Tensor forward(Operand input_ids, const Tensor& attention_mask = {},
                 const Tensor& position_ids = {}) const;

  /// A cache without tokens, for `batch` sequences of at most `positions` tokens.
  ///
  /// Throws   ValueError unless 1 <= positions <= max_position_embeddings
  DecoderCache new_cache(Extent batch, std::int64_t positions,
                         Where where = Where::current()) const;
  /// As GPT2::next().
  Tensor next(Operand input_ids, DecoderCache& cache) const;
};

}  // namespace sinter::inline SINTER_ABI::models

#ifdef SINTER_DEFINITIONS
#include <sinter/models/llama.ipp>
#endif
