#pragma once

#include <sinter/models/attention.hpp>
#include <sinter/models/bert.hpp>

namespace sinter::inline SINTER_ABI::models {

namespace detail {

SINTER_INLINE nn::Linear bert_linear(std::int64_t in, std::int64_t out, const BertOptions& options,
                                     Where where) {
  nn::Linear result(in, out, {}, where);
  initialize(result, options.initializer_range, where);
  return result;
}

SINTER_INLINE BertResidual bert_residual(std::int64_t in, const BertOptions& options, Where where) {
  return {.dense = bert_linear(in, options.hidden_size, options, where),
          .LayerNorm = {options.hidden_size, {.eps = options.layer_norm_eps}, where},
          .dropout = nn::Dropout(options.hidden_dropout_prob, where)};
}

SINTER_INLINE nn::Embedding bert_embedding(std::int64_t count, const BertOptions& options,
                                           nn::EmbeddingOptions padding, Where where) {
  nn::Embedding result(count, options.hidden_size, padding, where);
  initialize(result, options.initializer_range, where);
  return result;
}

}  // namespace detail

SINTER_INLINE BertEmbeddings::BertEmbeddings(const BertOptions& options, Where where)
    : word_embeddings(detail::bert_embedding(options.vocab_size, options,
                                             {.padding_idx = options.pad_token_id}, where)),
      position_embeddings(
          detail::bert_embedding(options.max_position_embeddings, options, {}, where)),
      token_type_embeddings(detail::bert_embedding(options.type_vocab_size, options, {}, where)),
      LayerNorm(options.hidden_size, {.eps = options.layer_norm_eps}, where),
      dropout(options.hidden_dropout_prob, where) {}

SINTER_INLINE Tensor BertEmbeddings::forward(Operand input_ids, const Tensor& token_type_ids,
                                             const Tensor& position_ids) const {
  const Tensor ids = input_ids.tensor();
  const Tensor positions = position_ids.defined() ? position_ids : arange(ids.size(1));
  const Tensor types = token_type_ids.defined() ? token_type_ids : zeros_like(ids);
  return dropout(LayerNorm(word_embeddings(ids) + token_type_embeddings(types) +
                           position_embeddings(positions)));
}

SINTER_INLINE Tensor BertSelfAttention::forward(Operand x, const Tensor& mask) const {
  const auto project = [&](const nn::Linear& layer) {
    return detail::split_heads(layer(x), heads);
  };
  return detail::attend(project(query), project(key), project(value),
                        {.mask = mask, .dropout = detail::active(dropout)});
}

SINTER_INLINE Tensor BertResidual::forward(Operand x, const Tensor& shortcut) const {
  return LayerNorm(dropout(dense(x)) + shortcut);
}

SINTER_INLINE BertLayer::BertLayer(const BertOptions& options, Where where) {
  const std::int64_t width = options.hidden_size;
  const auto square = [&] { return detail::bert_linear(width, width, options, where); };
  attention.self = {.query = square(),
                    .key = square(),
                    .value = square(),
                    .dropout = nn::Dropout(options.attention_probs_dropout_prob, where),
                    .heads = options.num_attention_heads};
  attention.output = detail::bert_residual(width, options, where);
  intermediate = {.dense = detail::bert_linear(width, options.intermediate_size, options, where),
                  .activation = Activate(options.hidden_act, "hidden_act", "Bert", where)};
  output = detail::bert_residual(options.intermediate_size, options, where);
}

SINTER_INLINE Tensor BertLayer::forward(Operand x, const Tensor& mask) const {
  const Tensor middle = attention(x, mask);
  return output(intermediate(middle), middle);
}

SINTER_INLINE Tensor BertEncoder::forward(Operand x, const Tensor& mask) const {
  Tensor result = x.tensor();
  for (const BertLayer& each : layer) result = each(result, mask);
  return result;
}

SINTER_INLINE Tensor BertPooler::forward(Operand x) const {
  return tanh(dense(x.tensor()[{all, 0}]));
}

SINTER_INLINE Bert::Bert(const BertOptions& options, Where where) {
  detail::require_positive("Bert",
                           {{"vocab_size", options.vocab_size},
                            {"num_hidden_layers", options.num_hidden_layers},
                            {"intermediate_size", options.intermediate_size},
                            {"max_position_embeddings", options.max_position_embeddings},
                            {"type_vocab_size", options.type_vocab_size}},
                           where);
  detail::require_divides("Bert", {"hidden_size", options.hidden_size},
                          {"num_attention_heads", options.num_attention_heads}, where);
  embeddings = BertEmbeddings(options, where);
  for (std::int64_t i = 0; i < options.num_hidden_layers; ++i) {
    encoder.layer.emplace_back(options, where);
  }
  nn::eval(*this);
  if (!options.add_pooling_layer) return;
  pooler =
      BertPooler{detail::bert_linear(options.hidden_size, options.hidden_size, options, where)};
}

SINTER_INLINE BertOutput Bert::forward(Operand input_ids, const Tensor& attention_mask,
                                       const Tensor& token_type_ids,
                                       const Tensor& position_ids) const {
  const std::int64_t positions = embeddings.position_embeddings.weight.size(0).value();
  detail::require_tokens("Bert", input_ids, attention_mask, {"max_position_embeddings", positions});
  const Tensor start = embeddings(input_ids, token_type_ids, position_ids);
  const Tensor last = encoder(start, detail::key_mask(attention_mask));
  return {last, pooler ? (*pooler)(last) : Tensor()};
}

SINTER_INLINE Tensor mean_pooling(Operand last_hidden_state, Operand attention_mask) {
  const Tensor hidden = last_hidden_state.tensor();
  const Tensor weights = unsqueeze(attention_mask, -1).to(hidden.dtype());
  const Tensor means = sum(hidden * weights, 1) / maximum(sum(weights, 1), 1e-9);
  return means / maximum(norm(means, 2, -1, true), 1e-12);
}

}  // namespace sinter::inline SINTER_ABI::models
