#pragma once

#include <sinter/nn/encoder.hpp>
#include <sinter/trace/functional/activation.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>

namespace sinter::inline SINTER_ABI::nn {

namespace detail {

SINTER_INLINE Tensor feed_forward(const Linear& linear1, Activation activation,
                                  const Dropout& dropout, const Linear& linear2, const Tensor& x,
                                  Where where) {
  const Operand wide(linear1({x, where}), where);
  const Tensor active = activation == Activation::gelu ? gelu(wide) : relu(wide);
  return linear2({dropout({active, where}), where});
}

}  // namespace detail

SINTER_INLINE TransformerEncoderLayer::TransformerEncoderLayer(
    std::int64_t width, std::int64_t heads, TransformerEncoderLayerOptions options, Where where)
    : self_attn(
          width, heads,
          {.dropout = options.dropout, .bias = options.bias, .batch_first = options.batch_first},
          where),
      linear1(width, options.dim_feedforward, {.bias = options.bias}, where),
      dropout(options.dropout, where),
      linear2(options.dim_feedforward, width, {.bias = options.bias}, where),
      norm1(width, {.eps = options.layer_norm_eps, .bias = options.bias}, where),
      norm2(width, {.eps = options.layer_norm_eps, .bias = options.bias}, where),
      dropout1(options.dropout, where),
      dropout2(options.dropout, where),
      activation(options.activation),
      norm_first(options.norm_first) {}

SINTER_INLINE Tensor TransformerEncoderLayer::forward(Operand x, const Tensor& mask,
                                                      const Tensor& key_padding_mask,
                                                      bool is_causal) const {
  const Where at = x.where;
  const auto attend = [&](const Tensor& from) {
    const AttentionMasks masks{
        .key_padding_mask = key_padding_mask, .attn_mask = mask, .is_causal = is_causal};
    return dropout1({self_attn({from, at}, from, from, masks).output, at});
  };
  const auto transform = [&](const Tensor& from) {
    return dropout2({detail::feed_forward(linear1, activation, dropout, linear2, from, at), at});
  };
  const Tensor start = x.tensor();
  if (norm_first) {
    const Tensor middle = add({start, at}, {attend(norm1({start, at})), at});
    return add({middle, at}, {transform(norm2({middle, at})), at});
  }
  const Tensor middle = norm1({add({start, at}, {attend(start), at}), at});
  return norm2({add({middle, at}, {transform(middle), at}), at});
}

SINTER_INLINE Tensor TransformerEncoder::forward(Operand x, const Tensor& mask,
                                                 const Tensor& key_padding_mask,
                                                 bool is_causal) const {
  Tensor result = x.tensor();
  for (const TransformerEncoderLayer& layer : layers) {
    result = layer({result, x.where}, mask, key_padding_mask, is_causal);
  }
  return norm ? (*norm)({result, x.where}) : result;
}

SINTER_INLINE TransformerEncoder::TransformerEncoder(const TransformerEncoderLayer& layer,
                                                     std::int64_t count,
                                                     std::optional<LayerNorm> last)
    : layers(static_cast<std::size_t>(count), layer), norm(std::move(last)) {}

}  // namespace sinter::inline SINTER_ABI::nn
