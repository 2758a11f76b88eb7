#pragma once

#include <cmath>  // std::sqrt

#include <sinter/models/attention.hpp>
#include <sinter/models/gpt2.hpp>

namespace sinter::inline SINTER_ABI::models {

SINTER_INLINE Conv1D::Conv1D(std::int64_t in, std::int64_t out, double deviation, Where where)
    : weight(normal(0, deviation, {in, out}, f32, where)), bias(zeros({out}, f32, where)) {}

SINTER_INLINE Tensor Conv1D::forward(Operand x) const { return matmul(x, weight) + bias; }

namespace detail {

// Projections that end in a residual sum start smaller, the deeper the model is.
SINTER_INLINE double gpt2_residual_range(const GPT2Options& options) {
  return options.initializer_range / std::sqrt(2 * static_cast<double>(options.n_layer));
}

SINTER_INLINE double gpt2_scale(const GPT2Options& options, std::int64_t layer) {
  const double width = static_cast<double>(options.n_embd / options.n_head);
  const double scale = options.scale_attn_weights ? 1 / std::sqrt(width) : 1;
  const bool by_layer = options.scale_attn_by_inverse_layer_idx;
  return by_layer ? scale / static_cast<double>(layer + 1) : scale;
}

SINTER_INLINE void require_gpt2(const GPT2Options& options, Where where) {
  require_positive("GPT2",
                   {{"vocab_size", options.vocab_size},
                    {"n_positions", options.n_positions},
                    {"n_layer", options.n_layer},
                    {"n_inner", options.n_inner.value_or(1)}},
                   where);
  require_divides("GPT2", {"n_embd", options.n_embd}, {"n_head", options.n_head}, where);
}

}  // namespace detail

SINTER_INLINE GPT2Attention::GPT2Attention(const GPT2Options& options, std::int64_t layer,
                                           bool is_cross, Where where)
    : c_attn(options.n_embd, (is_cross ? 2 : 3) * options.n_embd, options.initializer_range, where),
      c_proj(options.n_embd, options.n_embd, detail::gpt2_residual_range(options), where),
      attn_dropout(options.attn_pdrop, where),
      resid_dropout(options.resid_pdrop, where),
      heads(options.n_head),
      scale(detail::gpt2_scale(options, layer)) {
  if (is_cross) q_attn.emplace(options.n_embd, options.n_embd, options.initializer_range, where);
}

SINTER_INLINE Tensor GPT2Attention::forward(Operand x, const Tensor& mask,
                                            const Tensor& source) const {
  const bool is_cross = q_attn.has_value();
  std::vector<Tensor> parts =
      split(is_cross ? c_attn(source) : c_attn(x), c_proj.weight.size(0), -1);
  if (is_cross) parts.insert(parts.begin(), (*q_attn)(x));
  for (Tensor& part : parts) part = detail::split_heads(part, heads);
  const Tensor merged = detail::attend(
      parts[0], parts[1], parts[2],
      {.mask = mask, .causal = !is_cross, .scale = scale, .dropout = detail::active(attn_dropout)});
  return resid_dropout(c_proj(merged));
}

SINTER_INLINE Tensor GPT2Attention::extend(Operand x, const Tensor& mask, KeyValues& past,
                                           const Scalar& length) const {
  std::vector<Tensor> parts = split(c_attn(x), c_proj.weight.size(0), -1);
  for (Tensor& part : parts) part = detail::split_heads(part, heads);
  detail::append(past, parts[1], parts[2], length);
  return c_proj(detail::attend(parts[0], past.keys, past.values, {.mask = mask, .scale = scale}));
}

SINTER_INLINE Tensor GPT2Attention::attend_to(Operand x, const KeyValues& source) const {
  const Tensor query = detail::split_heads((*q_attn)(x), heads);
  return c_proj(detail::attend(query, source.keys, source.values, {.scale = scale}));
}

SINTER_INLINE KeyValues GPT2Attention::project(const Tensor& source) const {
  const std::vector<Tensor> parts = split(c_attn(source), c_proj.weight.size(0), -1);
  return {detail::split_heads(parts[0], heads), detail::split_heads(parts[1], heads)};
}

SINTER_INLINE GPT2Block::GPT2Block(const GPT2Options& options, std::int64_t layer, Where where)
    : ln_1(options.n_embd, {.eps = options.layer_norm_epsilon}, where),
      attn(options, layer, false, where),
      ln_2(options.n_embd, {.eps = options.layer_norm_epsilon}, where) {
  const std::int64_t inner = options.n_inner.value_or(4 * options.n_embd);
  mlp = {.c_fc = Conv1D(options.n_embd, inner, options.initializer_range, where),
         .c_proj = Conv1D(inner, options.n_embd, detail::gpt2_residual_range(options), where),
         .activation = Activate(options.activation_function, "activation_function", "GPT2", where),
         .dropout = nn::Dropout(options.resid_pdrop, where)};
  if (!options.add_cross_attention) return;
  crossattention.emplace(options, layer, true, where);
  ln_cross_attn.emplace(options.n_embd, nn::LayerNormOptions{.eps = options.layer_norm_epsilon},
                        where);
}

SINTER_INLINE Tensor GPT2Block::forward(Operand x, const Tensor& mask,
                                        const GPT2Source& source) const {
  Tensor result = x.tensor() + attn(ln_1(x), mask, Tensor());
  if (crossattention && source.hidden_states.defined()) {
    result =
        result + (*crossattention)((*ln_cross_attn)(result), source.mask, source.hidden_states);
  }
  return result + mlp(ln_2(result));
}

SINTER_INLINE Tensor GPT2Block::extend(Operand x, const Tensor& mask, DecoderCache& cache,
                                       std::size_t layer) const {
  Tensor result = x.tensor() + attn.extend(ln_1(x), mask, cache.layers[layer], cache.length);
  if (!cache.source.empty()) {
    result = result + crossattention->attend_to((*ln_cross_attn)(result), cache.source[layer]);
  }
  return result + mlp(ln_2(result));
}

SINTER_INLINE GPT2Transformer::GPT2Transformer(const GPT2Options& options, Where where)
    : wte(options.vocab_size, options.n_embd, {}, where),
      wpe(options.n_positions, options.n_embd, {}, where),
      drop(options.embd_pdrop, where),
      ln_f(options.n_embd, {.eps = options.layer_norm_epsilon}, where) {
  detail::initialize(wte, options.initializer_range, where);
  detail::initialize(wpe, options.initializer_range, where);
  for (std::int64_t i = 0; i < options.n_layer; ++i) h.emplace_back(options, i, where);
}

namespace detail {

SINTER_INLINE void require_source(const GPT2Transformer& model, const Tensor& hidden, Where where) {
  if (!hidden.defined()) return;
  if (!model.h[0].crossattention) {
    throw ValueError({.op = "GPT2",
                      .what = "this model has no cross attention",
                      .facts = {{"encoder_hidden_states", to_string(hidden)}},
                      .rule = "encoder_hidden_states are for models with cross attention",
                      .fix = "build the model with .add_cross_attention = true",
                      .where = where});
  }
  if (hidden.ndim() == 3 && hidden.size(2) == model.wte.weight.size(1)) return;
  throw ShapeError({.op = "GPT2",
                    .what = "the output of the encoder does not fit",
                    .facts = {{"encoder_hidden_states", to_string(hidden)}},
                    .rule = "encoder_hidden_states are (batch, length, n_embd)",
                    .fix = "project them to n_embd, as Captioner does",
                    .where = where});
}

}  // namespace detail

SINTER_INLINE Tensor GPT2Transformer::forward(Operand input_ids, const Tensor& attention_mask,
                                              const Tensor& position_ids,
                                              const Tensor& encoder_hidden_states,
                                              const Tensor& encoder_attention_mask) const {
  detail::require_tokens("GPT2", input_ids, attention_mask,
                         {"n_positions", wpe.weight.size(0).value()});
  detail::require_source(*this, encoder_hidden_states, input_ids.where);
  const Tensor ids = input_ids.tensor();
  const Tensor positions = position_ids.defined() ? position_ids : arange(ids.size(1));
  const Tensor mask = detail::key_mask(attention_mask);
  const GPT2Source source{encoder_hidden_states, detail::key_mask(encoder_attention_mask)};
  Tensor x = drop(wte(ids) + wpe(positions));
  for (const GPT2Block& block : h) x = block(x, mask, source);
  return ln_f(x);
}

SINTER_INLINE Tensor GPT2Transformer::extend(Operand input_ids, DecoderCache& cache) const {
  detail::require_tokens("GPT2", input_ids, Tensor(), {"n_positions", wpe.weight.size(0).value()});
  detail::require_cache("GPT2", input_ids, cache,
                        {static_cast<std::size_t>(h.size()), h[0].crossattention.has_value()});
  const Tensor ids = input_ids.tensor();
  const Tensor mask = detail::cache_mask(cache, ids.size(1));
  Tensor x = wte(ids) + wpe(cache.length + arange(ids.size(1)));
  for (std::size_t i = 0; i < cache.layers.size(); ++i) x = h[i].extend(x, mask, cache, i);
  cache.length += ids.size(1);
  return ln_f(x);
}

SINTER_INLINE GPT2::GPT2(const GPT2Options& options, Where where) {
  detail::require_gpt2(options, where);
  transformer = GPT2Transformer(options, where);
  nn::eval(*this);
  if (options.tie_word_embeddings) return;
  lm_head.emplace(options.n_embd, options.vocab_size, nn::LinearOptions{.bias = false}, where);
  detail::initialize(*lm_head, options.initializer_range, where);
}

SINTER_INLINE Tensor GPT2::forward(Operand input_ids, const Tensor& attention_mask,
                                   const Tensor& position_ids, const Tensor& encoder_hidden_states,
                                   const Tensor& encoder_attention_mask) const {
  const Tensor hidden = transformer(input_ids, attention_mask, position_ids, encoder_hidden_states,
                                    encoder_attention_mask);
  return linear(hidden, lm_head ? lm_head->weight : transformer.wte.weight);
}

SINTER_INLINE DecoderCache GPT2::new_cache(Extent batch, std::int64_t positions,
                                           const Tensor& encoder_hidden_states, Where where) const {
  const GPT2Attention& attn = transformer.h[0].attn;
  const Tensor& weight = transformer.wte.weight;
  detail::require_positions("GPT2", positions, transformer.wpe.weight.size(0).value(), where);
  detail::require_source(transformer, encoder_hidden_states, where);
  DecoderCache result = detail::empty_cache(
      transformer.h.size(), {batch, attn.heads, positions, weight.size(1) / attn.heads},
      weight.dtype(), where);
  if (!encoder_hidden_states.defined()) return result;
  for (const GPT2Block& block : transformer.h) {
    result.source.push_back(block.crossattention->project(encoder_hidden_states));
  }
  return result;
}

SINTER_INLINE Tensor GPT2::next(Operand input_ids, DecoderCache& cache) const {
  const Tensor last = transformer.extend(input_ids, cache)[{all, -1}];
  return linear(last, lm_head ? lm_head->weight : transformer.wte.weight);
}

}  // namespace sinter::inline SINTER_ABI::models
