#pragma once
// GPT-2, with the parameters of Hugging Face; with cross attention, a decoder.

#include <optional>  // std::optional
#include <string>    // std::string

#include <sinter/models/activation.hpp>
#include <sinter/models/cache.hpp>
#include <sinter/sinter.hpp>

namespace sinter::inline SINTER_ABI::models {

/// The fields of config.json with their defaults, those of gpt2.
struct GPT2Options {
  std::int64_t vocab_size = 50257;
  std::int64_t n_positions = 1024;
  std::int64_t n_embd = 768;
  std::int64_t n_layer = 12;
  std::int64_t n_head = 12;
  std::optional<std::int64_t> n_inner{};  ///< 4 * n_embd, unless it is given.
  std::string activation_function = "gelu_new";
  double resid_pdrop = 0.1;
  double embd_pdrop = 0.1;
  double attn_pdrop = 0.1;
  double layer_norm_epsilon = 1e-5;
  double initializer_range = 0.02;
  bool scale_attn_weights = true;
  bool scale_attn_by_inverse_layer_idx = false;
  bool add_cross_attention = false;  ///< Blocks also attend to the output of an encoder.
  bool tie_word_embeddings = true;   ///< Logits are products with the embeddings of the tokens.
};

/// matmul(x, weight) + bias
struct Conv1D {
  Tensor weight;  ///< (in, out), as in Hugging Face; the transpose of nn::Linear's.
  Tensor bias;    ///< (out)
  SINTER_MODULE(Conv1D, weight, bias)

  Conv1D() = default;
  Conv1D(std::int64_t in, std::int64_t out, double deviation, Where where);

  Tensor forward(Operand x) const;
};

struct GPT2Attention {
  Conv1D c_attn;                 ///< To query, key and value; for cross attention without query.
  std::optional<Conv1D> q_attn;  ///< For cross attention: to the query.
  Conv1D c_proj;
  nn::Dropout attn_dropout, resid_dropout;
  std::int64_t heads = 1;
  double scale = 1;
  SINTER_MODULE(GPT2Attention, c_attn, q_attn, c_proj, attn_dropout, resid_dropout, heads, scale)

  GPT2Attention() = default;
  GPT2Attention(const GPT2Options& options, std::int64_t layer, bool is_cross, Where where);

  /// Keys and values are of `source`; x itself, causally, if that is undefined.
  Tensor forward(Operand x, const Tensor& mask, const Tensor& source) const;
  /// Of the next tokens, whose keys and values are added to `past`, behind `length` others.
  Tensor extend(Operand x, const Tensor& mask, KeyValues& past, const Scalar& length) const;
  /// Cross attention to what project() gave.
  Tensor attend_to(Operand x, const KeyValues& source) const;
  /// Keys and values of the output of an encoder.
  KeyValues project(const Tensor& source) const;
};

struct GPT2MLP {
  Conv1D c_fc, c_proj;
  Activate activation;
  nn::Dropout dropout;
  SINTER_MODULE(GPT2MLP, c_fc, c_proj, activation, dropout)
  Tensor forward(Operand x) const { return dropout(c_proj(activation(c_fc(x)))); }
};

/// The output of an encoder, (batch, length, n_embd), and its mask as in attention; undefined
/// without one.
struct GPT2Source {
  Tensor hidden_states, mask;
  SINTER_MODULE(GPT2Source, hidden_states, mask)
};

struct GPT2Block {
  nn::LayerNorm ln_1;
  GPT2Attention attn;
  nn::LayerNorm ln_2;
  std::optional<GPT2Attention> crossattention;
  std::optional<nn::LayerNorm> ln_cross_attn;
  GPT2MLP mlp;
  SINTER_MODULE(GPT2Block, ln_1, attn, ln_2, crossattention, ln_cross_attn, mlp)

  GPT2Block() = default;
  GPT2Block(const GPT2Options& options, std::int64_t layer, Where where);

  Tensor forward(Operand x, const Tensor& mask, const GPT2Source& source) const;
  /// The next tokens: layer `layer` of the cache gets their keys and values.
  Tensor extend(Operand x, const Tensor& mask, DecoderCache& cache, std::size_t layer) const;
};

struct GPT2Transformer {
  nn::Embedding wte, wpe;
  nn::Dropout drop;
  nn::ModuleList<GPT2Block> h;
  nn::LayerNorm ln_f;
  SINTER_MODULE(GPT2Transformer, wte, wpe, drop, h, ln_f)

  GPT2Transformer() = default;
  GPT2Transformer(const GPT2Options& options, Where where);

  /// The arguments of GPT2 -> (batch, length, n_embd)
  Tensor forward(Operand input_ids, const Tensor& attention_mask = {},
                 const Tensor& position_ids = {}, const Tensor& encoder_hidden_states = {},
                 const Tensor& encoder_attention_mask = {}) const;
  /// (batch, length, n_embd) of the next tokens, which are added to the cache.
  Tensor extend(Operand input_ids, DecoderCache& cache) const;
};

/// A causal language model. attention_mask is (batch, length), 0 for padding; an undefined one has
/// no padding. Undefined position_ids are 0, 1, 2, ... With .add_cross_attention, blocks attend to
/// encoder_hidden_states, (batch, other length, n_embd), with a mask of their own; without such
/// states they leave out the cross attention.
///
/// Dropout is off until nn::train(model).
///
/// Shapes   input_ids (batch, length), length <= n_positions -> (batch, length, vocab_size), logits
/// Throws   ValueError if the options do not fit; ShapeError or DTypeError if the arguments do not
/// Source   https://huggingface.co/docs/transformers/model_doc/gpt2
struct GPT2 {
  GPT2Transformer transformer;
  std::optional<nn::Linear> lm_head;  ///< Unless it is tied to the embeddings.
  SINTER_MODULE(GPT2, transformer, lm_head)

  explicit GPT2(const GPT2Options& options = {}, Where where = Where::current());

  Tensor forward(Operand input_ids, const Tensor& attention_mask = {},
                 const Tensor& position_ids = {}, const Tensor& encoder_hidden_states = {},
                 const Tensor& encoder_attention_mask = {}) const;

  /// A cache without tokens, for `batch` sequences of at most `positions` tokens, which attend to
  /// encoder_hidden_states if there are any.
  ///
  /// Throws   ValueError unless 1 <= positions <= n_positions
  DecoderCache new_cache(Extent batch, std::int64_t positions,
                         const Tensor& encoder_hidden_states = {},
                         Where where = Where::current()) const;
  /// The logits of the token behind `input_ids`, which follow the tokens of the cache and are added
  /// to it.
  ///
  /// Shapes   input_ids (batch, length) -> (batch, vocab_size)
  /// Throws   as forward(); ValueError or ShapeError for a cache of another model or batch;
  ///          IndexError if the cache is full
  Tensor next(Operand input_ids, DecoderCache& cache) const;
};

}  // namespace sinter::inline SINTER_ABI::models

#ifdef SINTER_DEFINITIONS
#include <sinter/models/gpt2.ipp>
#endif
