#pragma once

#include <vector>  // std::vector

#include <sinter/models/attention.hpp>
#include <sinter/models/llama.hpp>

namespace sinter::inline SINTER_ABI::models {

namespace detail {

SINTER_INLINE nn::Linear llama_linear(std::int64_t in, std::int64_t out, bool bias,
                                      const LlamaOptions& options, Where where) {
  nn::Linear result(in, out, {.bias = bias}, where);
  initialize(result, options.initializer_range, where);
  return result;
}

SINTER_INLINE std::int64_t head_width(const LlamaOptions& options) {
  return options.head_dim.value_or(options.hidden_size / options.num_attention_heads);
}

// The frequencies as RopeScaling changes them. llama3 keeps short waves, divides long ones by the
// factor, and blends those between.
SINTER_INLINE Tensor scaled_frequencies(const Tensor& frequencies, const RopeScaling& scaling) {
  if (scaling.rope_type == "linear") return frequencies / scaling.factor;
  if (scaling.rope_type != "llama3") return frequencies;
  constexpr double turn = 6.283185307179586;
  const double longest = static_cast<double>(scaling.original_max_position_embeddings) / turn;
  const double blended = scaling.high_freq_factor - scaling.low_freq_factor;
  const Tensor kept = clamp((frequencies * longest - scaling.low_freq_factor) / blended, 0, 1);
  return frequencies * (kept + (1 - kept) / scaling.factor);
}

SINTER_INLINE void require_scaling(const LlamaOptions& options, Where where) {
  const RopeScaling& scaling = options.rope_scaling;
  const bool is_known = scaling.rope_type == "default" || scaling.rope_type == "linear" ||
                        scaling.rope_type == "llama3";
  if (!is_known) {
    throw ValueError({.op = "Llama",
                      .what = "there is no such scaling of rotary positions",
                      .facts = {{"rope_type", scaling.rope_type}},
                      .rule = "rope_type is default, linear or llama3",
                      .fix = "use one of these",
                      .where = where});
  }
  const bool fits = scaling.factor > 0 && scaling.high_freq_factor > scaling.low_freq_factor &&
                    options.rope_theta > 0;
  if (fits) return;
  throw ValueError({.op = "Llama",
                    .what = "the options of the rotary positions do not fit",
                    .facts = {{"rope_theta", std::to_string(options.rope_theta)},
                              {"factor", std::to_string(scaling.factor)},
                              {"low_freq_factor", std::to_string(scaling.low_freq_factor)},
                              {"high_freq_factor", std::to_string(scaling.high_freq_factor)}},
                    .rule = "rope_theta > 0, factor > 0, high_freq_factor > low_freq_factor",
                    .fix = "give the values of the config.json of the model",
                    .where = where});
}

SINTER_INLINE void require_llama(const LlamaOptions& options, Where where) {
  require_positive("Llama",
                   {{"vocab_size", options.vocab_size},
                    {"intermediate_size", options.intermediate_size},
                    {"num_hidden_layers", options.num_hidden_layers},
                    {"max_position_embeddings", options.max_position_embeddings}},
                   where);
  const Option heads{"num_attention_heads", options.num_attention_heads};
  if (!options.head_dim) {
    require_divides("Llama", {"hidden_size", options.hidden_size}, heads, where);
  }
  require_positive("Llama", {{"hidden_size", options.hidden_size}, heads}, where);
  require_divides("Llama", heads,
                  {"num_key_value_heads", options.num_key_value_heads.value_or(heads.value)},
                  where);
  require_divides("Llama", {"head_dim", head_width(options)}, {"pairs of rotary positions", 2},
                  where);
  require_scaling(options, where);
}

// Each pair of elements i and i + width / 2, turned by its angle.
SINTER_INLINE Tensor rotate(const Tensor& x, const RotaryAngles& angles) {
  const std::vector<Tensor> halves = chunk(x, 2, -1);
  const Tensor &a = halves[0], &b = halves[1];
  return concatenate({a * angles.cosine - b * angles.sine, b * angles.cosine + a * angles.sine},
                     -1);
}

}  // namespace detail

SINTER_INLINE RotaryAngles LlamaRotary::forward(Operand positions) const {
  const Tensor exponents = arange(0, width, 2, f64) / -static_cast<double>(width);
  const Tensor frequencies = detail::scaled_frequencies(pow(theta, exponents), scaling);
  Tensor angles = unsqueeze(positions, -1).to(f32) * frequencies.to(f32);
  if (angles.ndim() == 3) angles = unsqueeze(angles, 1);
  return {cos(angles), sin(angles)};
}

SINTER_INLINE LlamaAttention::LlamaAttention(const LlamaOptions& options, Where where)
    : heads(options.num_attention_heads),
      key_value_heads(options.num_key_value_heads.value_or(options.num_attention_heads)),
      dropout(options.attention_dropout, where) {
  const std::int64_t head = detail::head_width(options), in = options.hidden_size;
  const bool bias = options.attention_bias;
  q_proj = detail::llama_linear(in, heads * head, bias, options, where);
  k_proj = detail::llama_linear(in, key_value_heads * head, bias, options, where);
  v_proj = detail::llama_linear(in, key_value_heads * head, bias, options, where);
  o_proj = detail::llama_linear(heads * head, in, bias, options, where);
}

SINTER_INLINE LlamaAttention::Heads LlamaAttention::project(const Operand& x,
                                                            const RotaryAngles& angles) const {
  const DType dtype = x.type().dtype;
  const RotaryAngles turns{angles.cosine.to(dtype), angles.sine.to(dtype)};
  return {detail::rotate(detail::split_heads(q_proj(x), heads), turns),
          detail::rotate(detail::split_heads(k_proj(x), key_value_heads), turns),
          detail::split_heads(v_proj(x), key_value_heads)};
}

SINTER_INLINE Tensor LlamaAttention::forward(Operand x, const RotaryAngles& angles,
                                             const Tensor& mask) const {
  const auto [query, key, value] = project(x, angles);
  return o_proj(detail::attend(query, key, value,
                               {.mask = mask,
                                .causal = true,
                                .dropout = detail::active(dropout),
                                .enable_gqa = heads != key_value_heads}));
}

SINTER_INLINE Tensor LlamaAttention::extend(Operand x, const RotaryAngles& angles,
                                            const Tensor& mask, KeyValues& past,
                                            const Scalar& length) const {
  const auto [query, key, value] = project(x, angles);
  detail::append(past, key, value, length);
  return o_proj(detail::attend(query, past.keys, past.values,
                               {.mask = mask, .enable_gqa = heads != key_value_heads}));
}

SINTER_INLINE LlamaLayer::LlamaLayer(const LlamaOptions& options, Where where)
    : self_attn(options, where),
      input_layernorm(options.hidden_size, {.eps = options.rms_norm_eps}, where),
      post_attention_layernorm(options.hidden_size, {.eps = options.rms_norm_eps}, where) {
  const std::int64_t width = options.hidden_size, inner = options.intermediate_size;
  const bool bias = options.mlp_bias;
  mlp = {.gate_proj = detail::llama_linear(width, inner, bias, options, where),
         .up_proj = detail::llama_linear(width, inner, bias, options, where),
         .down_proj = detail::llama_linear(inner, width, bias, options, where),
         .activation = Activate(options.hidden_act, "hidden_act", "Llama", where)};
}

SINTER_INLINE Tensor LlamaLayer::forward(Operand x, const RotaryAngles& angles,
                                         const Tensor& mask) const {
  const Tensor middle = x.tensor() + self_attn(input_layernorm(x), angles, mask);
  return middle + mlp(post_attention_layernorm(middle));
}

SINTER_INLINE Tensor LlamaLayer::extend(Operand x, const RotaryAngles& angles, const Tensor& mask,
                                        KeyValues& past, const Scalar& length) const {
  const Tensor middle =
      x.tensor() + self_attn.extend(input_layernorm(x), angles, mask, past, length);
  return middle + mlp(post_attention_layernorm(middle));
}

SINTER_INLINE LlamaModel::LlamaModel(const LlamaOptions& options, Where where)
    : embed_tokens(options.vocab_size, options.hidden_size, {.padding_idx = options.pad_token_id},
                   where),
      norm(options.hidden_size, {.eps = options.rms_norm_eps}, where),
      rotary_emb{detail::head_width(options), options.rope_theta, options.rope_scaling},
      max_position_embeddings(options.max_position_embeddings) {
  detail::initialize(embed_tokens, options.initializer_range, where);
  for (std::int64_t i = 0; i < options.num_hidden_layers; ++i) layers.emplace_back(options, where);
}

SINTER_INLINE Tensor LlamaModel::forward(Operand input_ids, const Tensor& attention_mask,
                                         const Tensor& position_ids) const {
  detail::require_tokens("Llama", input_ids, attention_mask,
                         {"max_position_embeddings", max_position_embeddings});
  const Tensor ids = input_ids.tensor();
  const Tensor positions = position_ids.defined() ? position_ids : arange(ids.size(1));
  const RotaryAngles angles = rotary_emb(positions);
  const Tensor mask = detail::key_mask(attention_mask);
  Tensor x = embed_tokens(ids);
  for (const LlamaLayer& layer : layers) x = layer(x, angles, mask);
  return norm(x);
}

SINTER_INLINE Tensor LlamaModel::extend(Operand input_ids, DecoderCache& cache) const {
  detail::require_tokens("Llama", input_ids, Tensor(),
                         {"max_position_embeddings", max_position_embeddings});
  detail::require_cache("Llama", input_ids, cache, {static_cast<std::size_t>(layers.size())});
  const Tensor ids = input_ids.tensor();
  const RotaryAngles angles = rotary_emb(cache.length + arange(ids.size(1)));
  const Tensor mask = detail::cache_mask(cache, ids.size(1));
  Tensor x = embed_tokens(ids);
  for (std::size_t i = 0; i < cache.layers.size(); ++i) {
    x = layers[i].extend(x, angles, mask, cache.layers[i], cache.length);
  }
  cache.length += ids.size(1);
  return norm(x);
}

SINTER_INLINE Llama::Llama(const LlamaOptions& options, Where where) {
  detail::require_llama(options, where);
  model = LlamaModel(options, where);
  nn::eval(*this);
  if (options.tie_word_embeddings) return;
  lm_head = detail::llama_linear(options.hidden_size, options.vocab_size, false, options, where);
}

SINTER_INLINE Tensor Llama::forward(Operand input_ids, const Tensor& attention_mask,
                                    const Tensor& position_ids) const {
  const Tensor hidden = model(input_ids, attention_mask, position_ids);
  return linear(hidden, lm_head ? lm_head->weight : model.embed_tokens.weight);
}

SINTER_INLINE DecoderCache Llama::new_cache(Extent batch, std::int64_t positions,
                                            Where where) const {
  detail::require_positions("Llama", positions, model.max_position_embeddings, where);
  return detail::empty_cache(
      model.layers.size(),
      {batch, model.layers[0].self_attn.key_value_heads, positions, model.rotary_emb.width},
      model.embed_tokens.weight.dtype(), where);
}

SINTER_INLINE Tensor Llama::next(Operand input_ids, DecoderCache& cache) const {
  const Tensor last = model.extend(input_ids, cache)[{all, -1}];
  return linear(last, lm_head ? lm_head->weight : model.embed_tokens.weight);
}

}  // namespace sinter::inline SINTER_ABI::models
