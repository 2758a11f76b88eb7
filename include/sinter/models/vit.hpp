#pragma once
// Vision transformers, with the parameters of torchvision.

#include <map>       // std::map
#include <optional>  // std::optional
#include <string>    // std::string

#include <sinter/models/activation.hpp>
#include <sinter/sinter.hpp>

namespace sinter::inline SINTER_ABI::models {

/// The fields of config.json with their defaults.
struct ViTOptions {
  std::int64_t hidden_size = 768;
  std::int64_t num_hidden_layers = 12;
  std::int64_t num_attention_heads = 12;
  std::int64_t intermediate_size = 3072;
  std::string hidden_act = "gelu";
  double hidden_dropout_prob = 0;
  double attention_probs_dropout_prob = 0;
  double initializer_range = 0.02;  ///< Of the positions.
  double layer_norm_eps = 1e-12;    ///< vit_b_16 and the like have torchvision's 1e-6.
  std::int64_t image_size = 224;
  std::int64_t patch_size = 16;
  std::int64_t num_channels = 3;
  bool qkv_bias = true;
  std::int64_t num_labels = 1000;  ///< 0: no head; the result is the class token.
};

/// x + self_attention(ln_1(x)), then the same with the MLP.
struct ViTBlock {
  nn::LayerNorm ln_1;
  nn::MultiheadAttention self_attention;
  nn::Dropout dropout;
  nn::LayerNorm ln_2;
  nn::Sequential<nn::Linear, Activate, nn::Dropout, nn::Linear, nn::Dropout> mlp;
  SINTER_MODULE(ViTBlock, ln_1, self_attention, dropout, ln_2, mlp)

  ViTBlock() = default;
  ViTBlock(const ViTOptions& options, Where where);

  Tensor forward(Operand x) const;
};

/// Orders names that end with numbers by number.
struct ByLength {
  bool operator()(const std::string& a, const std::string& b) const {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  }
};

struct ViTEncoder {
  Tensor pos_embedding;  ///< (1, 1 + patches, width)
  nn::Dropout dropout;
  std::map<std::string, ViTBlock, ByLength> layers;  ///< encoder_layer_0, ...
  nn::LayerNorm ln;
  SINTER_MODULE(ViTEncoder, pos_embedding, dropout, layers, ln)

  ViTEncoder() = default;
  ViTEncoder(const ViTOptions& options, Where where);

  Tensor forward(Operand tokens) const;
};

struct ViTHeads {
  nn::Linear head;  ///< Starts as 0, as in torchvision.
  SINTER_MODULE(ViTHeads, head)
  Tensor forward(Operand x) const { return head(x); }
};

/// Images as sequences of patches behind a class token.
///
/// Dropout is off until nn::train(model).
///
/// Shapes   (batch, num_channels, image_size, image_size) -> (batch, num_labels), logits
/// Throws   ValueError if the options do not fit; ShapeError if the images do not
/// Source   https://docs.pytorch.org/vision/stable/models/vision_transformer.html
struct VisionTransformer {
  Tensor class_token;    ///< (1, 1, width)
  nn::Conv2d conv_proj;  ///< From patches to tokens.
  ViTEncoder encoder;
  std::optional<ViTHeads> heads;
  std::int64_t image_size = 0;
  SINTER_MODULE(VisionTransformer, class_token, conv_proj, encoder, heads, image_size)

  explicit VisionTransformer(const ViTOptions& options = {}, Where where = Where::current());

  Tensor forward(Operand images) const;
  /// The tokens behind the last norm: (batch, 1 + patches, width), that of the class first.
  Tensor encode(Operand images) const;
};

/// Of width 768 with 12 layers and patches of 16 x 16; 224 x 224 pixels.
VisionTransformer vit_b_16(std::int64_t classes = 1000, Where where = Where::current());
/// The same with patches of 32 x 32.
VisionTransformer vit_b_32(std::int64_t classes = 1000, Where where = Where::current());
/// Of width 1024 with 24 layers and patches of 16 x 16.
VisionTransformer vit_l_16(std::int64_t classes = 1000, Where where = Where::current());

}  // namespace sinter::inline SINTER_ABI::models

#ifdef SINTER_DEFINITIONS
#include <sinter/models/vit.ipp>
#endif
