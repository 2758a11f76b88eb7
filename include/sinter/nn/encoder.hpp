#pragma once
// Transformer encoder layers.

#include <cstdint>   // std::int64_t
#include <optional>  // std::optional

#include <sinter/config.hpp>
#include <sinter/nn/attention.hpp>
#include <sinter/nn/function/dropout.hpp>
#include <sinter/nn/linear.hpp>
#include <sinter/nn/norm.hpp>
#include <sinter/nn/sequential.hpp>
#include <sinter/trace/module/module.hpp>
#include <sinter/trace/module/walk.hpp>

namespace sinter::inline SINTER_ABI::nn {

/// The activation between the two linear layers.
enum class Activation : std::uint8_t { relu, gelu };

/// Of encoder and decoder layers.
struct TransformerLayerOptions {
  std::int64_t dim_feedforward = 2048;  ///< The width between the two linear layers.
  double dropout = 0.1;
  Activation activation = Activation::relu;
  double layer_norm_eps = 1e-5;
  bool batch_first = false;  ///< Axes batch, length, width; else length, batch, width.
  bool norm_first = false;   ///< Pre-norm; otherwise norms follow the residual sums.
  bool bias = true;
};
using TransformerEncoderLayerOptions = TransformerLayerOptions;

namespace detail {

/// linear2(dropout(activation(linear1(x)))).
Tensor feed_forward(const Linear& linear1, Activation activation, const Dropout& dropout,
                    const Linear& linear2, const Tensor& x, Where where);

}  // namespace detail

/// x = norm1(x + attention(x)); norm2(x + linear2(activation(linear1(x)))), with dropout in each
/// block.
///
/// Shapes   x (length, batch, width); with batch_first (batch, length, width); or (length, width)
/// Throws   ValueError unless heads divide the width; ShapeError if the shapes do not fit
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.nn.TransformerEncoderLayer.html
struct TransformerEncoderLayer {
  MultiheadAttention self_attn;
  Linear linear1;
  Dropout dropout;
  Linear linear2;
  LayerNorm norm1, norm2;
  Dropout dropout1, dropout2;
  Activation activation = Activation::relu;
  bool norm_first = false;
  // The operator() of SINTER_MODULE takes no {} as a mask. This one is a template: only
  // programs that call it compile it.
  SINTER_ACCESSORS(TransformerEncoderLayer, self_attn, linear1, dropout, linear2, norm1, norm2,
                   dropout1, dropout2, activation, norm_first)

  TransformerEncoderLayer() = default;
  TransformerEncoderLayer(std::int64_t width, std::int64_t heads,
                          TransformerEncoderLayerOptions options = {},
                          Where where = Where::current());

  /// Masks as in MultiheadAttention.
  Tensor forward(Operand x, const Tensor& mask = {}, const Tensor& key_padding_mask = {},
                 bool is_causal = false) const;
  template <class Self = TransformerEncoderLayer>
  Tensor operator()(Operand x, const Tensor& mask = {}, const Tensor& key_padding_mask = {},
                    bool is_causal = false) const {
    const sinter::detail::ModuleScope sinter_scope(static_cast<const Self*>(this));
    SINTER_FORWARD(forward(x, mask, key_padding_mask, is_causal))
  }
};

/// A stack of layers, each initialized as a copy of `layer`, followed by `norm` if given.
///
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.nn.TransformerEncoder.html
struct TransformerEncoder {
  ModuleList<TransformerEncoderLayer> layers;
  std::optional<LayerNorm> norm;
  // The operator() of SINTER_MODULE takes no {} as a mask. This one is a template: only
  // programs that call it compile it.
  SINTER_ACCESSORS(TransformerEncoder, layers, norm)

  TransformerEncoder() = default;
  TransformerEncoder(const TransformerEncoderLayer& layer, std::int64_t count,
                     std::optional<LayerNorm> last = {});

  Tensor forward(Operand x, const Tensor& mask = {}, const Tensor& key_padding_mask = {},
                 bool is_causal = false) const;
  template <class Self = TransformerEncoder>
  Tensor operator()(Operand x, const Tensor& mask = {}, const Tensor& key_padding_mask = {},
                    bool is_causal = false) const {
    const sinter::detail::ModuleScope sinter_scope(static_cast<const Self*>(this));
    SINTER_FORWARD(forward(x, mask, key_padding_mask, is_causal))
  }
};

}  // namespace sinter::inline SINTER_ABI::nn

#ifdef SINTER_DEFINITIONS
#include <sinter/nn/encoder.ipp>
#endif
