#pragma once
// BERT, with the parameters of Hugging Face.

#include <optional>  // std::optional
#include <string>    // std::string

#include <sinter/models/activation.hpp>
#include <sinter/sinter.hpp>

namespace sinter::inline SINTER_ABI::models {

/// The fields of config.json with their defaults, those of bert-base-uncased.
struct BertOptions {
  std::int64_t vocab_size = 30522;
  std::int64_t hidden_size = 768;
  std::int64_t num_hidden_layers = 12;
  std::int64_t num_attention_heads = 12;
  std::int64_t intermediate_size = 3072;
  std::string hidden_act = "gelu";
  double hidden_dropout_prob = 0.1;
  double attention_probs_dropout_prob = 0.1;
  std::int64_t max_position_embeddings = 512;
  std::int64_t type_vocab_size = 2;
  double initializer_range = 0.02;
  double layer_norm_eps = 1e-12;
  std::optional<std::int64_t> pad_token_id = 0;
  bool add_pooling_layer = true;
};

/// The result of Bert: converts to the Tensor last_hidden_state.
struct BertOutput {
  Tensor last_hidden_state;  ///< (batch, length, hidden_size)
  Tensor pooler_output;      ///< (batch, hidden_size); undefined without a pooling layer.
  SINTER_MODULE(BertOutput, last_hidden_state, pooler_output)
  operator const Tensor&() const { return last_hidden_state; }
};

struct BertEmbeddings {
  nn::Embedding word_embeddings, position_embeddings, token_type_embeddings;
  nn::LayerNorm LayerNorm;
  nn::Dropout dropout;
  SINTER_MODULE(BertEmbeddings, word_embeddings, position_embeddings, token_type_embeddings,
                LayerNorm, dropout)

  BertEmbeddings() = default;
  BertEmbeddings(const BertOptions& options, Where where);

  Tensor forward(Operand input_ids, const Tensor& token_type_ids, const Tensor& position_ids) const;
};

struct BertSelfAttention {
  nn::Linear query, key, value;
  nn::Dropout dropout;
  std::int64_t heads = 1;
  SINTER_MODULE(BertSelfAttention, query, key, value, dropout, heads)
  Tensor forward(Operand x, const Tensor& mask) const;
};

/// LayerNorm(dense(x) + shortcut)
struct BertResidual {
  nn::Linear dense;
  nn::LayerNorm LayerNorm;
  nn::Dropout dropout;
  SINTER_MODULE(BertResidual, dense, LayerNorm, dropout)
  Tensor forward(Operand x, const Tensor& shortcut) const;
};

struct BertAttention {
  BertSelfAttention self;
  BertResidual output;
  SINTER_MODULE(BertAttention, self, output)
  Tensor forward(Operand x, const Tensor& mask) const { return output(self(x, mask), x.tensor()); }
};

struct BertIntermediate {
  nn::Linear dense;
  Activate activation;
  SINTER_MODULE(BertIntermediate, dense, activation)
  Tensor forward(Operand x) const { return activation(dense(x)); }
};

struct BertLayer {
  BertAttention attention;
  BertIntermediate intermediate;
  BertResidual output;
  SINTER_MODULE(BertLayer, attention, intermediate, output)

  BertLayer() = default;
  BertLayer(const BertOptions& options, Where where);

  Tensor forward(Operand x, const Tensor& mask) const;
};

struct BertEncoder {
  nn::ModuleList<BertLayer> layer;
  SINTER_MODULE(BertEncoder, layer)
  Tensor forward(Operand x, const Tensor& mask) const;
};

/// tanh(dense(the first token))
struct BertPooler {
  nn::Linear dense;
  SINTER_MODULE(BertPooler, dense)
  Tensor forward(Operand x) const;
};

/// Bidirectional encoder of tokens. attention_mask is (batch, length), 0 for padding; an undefined
/// one has no padding. Undefined token_type_ids are 0, undefined position_ids are 0, 1, 2, ...
///
/// Dropout is off until nn::train(model).
///
/// Shapes   input_ids (batch, length), length <= max_position_embeddings
/// Throws   ValueError if the options do not fit; ShapeError or DTypeError if the arguments do not
/// Source   https://huggingface.co/docs/transformers/model_doc/bert
struct Bert {
  BertEmbeddings embeddings;
  BertEncoder encoder;
  std::optional<BertPooler> pooler;
  SINTER_MODULE(Bert, embeddings, encoder, pooler)

  explicit Bert(const BertOptions& options = {}, Where where = Where::current());

  BertOutput forward(Operand input_ids, const Tensor& attention_mask = {},
                     const Tensor& token_type_ids = {}, const Tensor& position_ids = {}) const;
};

/// The means of the tokens that `attention_mask` has, with a norm of 1: embeddings of sentences.
///
/// Shapes   last_hidden_state (batch, length, width), attention_mask (batch, length) -> (batch,
///          width)
Tensor mean_pooling(Operand last_hidden_state, Operand attention_mask);

}  // namespace sinter::inline SINTER_ABI::models

#ifdef SINTER_DEFINITIONS
#include <sinter/models/bert.ipp>
#endif
