#pragma once

#include <cmath>  // std::sqrt

#include <sinter/models/attention.hpp>
#include <sinter/models/vit.hpp>

namespace sinter::inline SINTER_ABI::models {

SINTER_INLINE ViTBlock::ViTBlock(const ViTOptions& options, Where where)
    : ln_1(options.hidden_size, {.eps = options.layer_norm_eps}, where),
      self_attention(options.hidden_size, options.num_attention_heads,
                     {.dropout = options.attention_probs_dropout_prob, .batch_first = true}, where),
      dropout(options.hidden_dropout_prob, where),
      ln_2(options.hidden_size, {.eps = options.layer_norm_eps}, where),
      mlp{nn::Linear(options.hidden_size, options.intermediate_size, {}, where),
          Activate(options.hidden_act, "hidden_act", "VisionTransformer", where),
          nn::Dropout(options.hidden_dropout_prob, where),
          nn::Linear(options.intermediate_size, options.hidden_size, {}, where),
          nn::Dropout(options.hidden_dropout_prob, where)} {
  if (!options.qkv_bias) self_attention.in_proj_bias.reset();
  for (nn::Linear* const layer : {&mlp.get<0>(), &mlp.get<3>()}) {
    nn::init::xavier_uniform_(layer->weight, 1, where);
    nn::init::normal_(*layer->bias, 0, 1e-6, where);
  }
}

SINTER_INLINE Tensor ViTBlock::forward(Operand x) const {
  const Tensor from = ln_1(x);
  const Tensor middle = x.tensor() + dropout(self_attention(from, from, from).output);
  return middle + mlp(ln_2(middle));
}

SINTER_INLINE ViTEncoder::ViTEncoder(const ViTOptions& options, Where where)
    : dropout(options.hidden_dropout_prob, where),
      ln(options.hidden_size, {.eps = options.layer_norm_eps}, where) {
  const std::int64_t side = options.image_size / options.patch_size;
  pos_embedding =
      normal(0, options.initializer_range, {1, 1 + side * side, options.hidden_size}, f32, where);
  for (std::int64_t i = 0; i < options.num_hidden_layers; ++i) {
    layers.emplace("encoder_layer_" + std::to_string(i), ViTBlock(options, where));
  }
}

SINTER_INLINE Tensor ViTEncoder::forward(Operand tokens) const {
  Tensor x = dropout(tokens.tensor() + pos_embedding);
  for (const auto& [name, layer] : layers) x = layer(x);
  return ln(x);
}

SINTER_INLINE VisionTransformer::VisionTransformer(const ViTOptions& options, Where where)
    : image_size(options.image_size) {
  constexpr const char* name = "VisionTransformer";
  detail::require_positive(name,
                           {{"num_hidden_layers", options.num_hidden_layers},
                            {"intermediate_size", options.intermediate_size},
                            {"num_channels", options.num_channels},
                            {"num_labels + 1", options.num_labels + 1}},
                           where);
  detail::require_divides(name, {"hidden_size", options.hidden_size},
                          {"num_attention_heads", options.num_attention_heads}, where);
  detail::require_divides(name, {"image_size", options.image_size},
                          {"patch_size", options.patch_size}, where);
  class_token = zeros({1, 1, options.hidden_size}, f32, where);
  conv_proj = nn::Conv2d(options.num_channels, options.hidden_size, options.patch_size,
                         {.stride = options.patch_size}, where);
  const std::int64_t inputs = options.num_channels * options.patch_size * options.patch_size;
  nn::init::normal_(conv_proj.weight, 0, std::sqrt(1.0 / static_cast<double>(inputs)), where);
  nn::init::zeros_(*conv_proj.bias, where);
  encoder = ViTEncoder(options, where);
  nn::eval(*this);
  if (options.num_labels == 0) return;
  heads.emplace();
  heads->head = nn::Linear(options.hidden_size, options.num_labels, {}, where);
  nn::init::zeros_(heads->head.weight, where);
  nn::init::zeros_(*heads->head.bias, where);
}

SINTER_INLINE Tensor VisionTransformer::encode(Operand images) const {
  detail::require_images("VisionTransformer", images, conv_proj.weight.size(1).value(), image_size);
  const Tensor patches = transpose(flatten(conv_proj(images), 2), 1, 2);
  const Tensor first = expand(class_token, {patches.size(0), 1, patches.size(2)});
  return encoder(concatenate({first, patches}, 1));
}

SINTER_INLINE Tensor VisionTransformer::forward(Operand images) const {
  const Tensor tokens = encode(images);
  const Tensor first = tokens[{all, 0}];
  return heads ? (*heads)(first) : first;
}

namespace detail {

SINTER_INLINE ViTOptions torchvision_vit(std::int64_t classes) {
  ViTOptions options;
  options.layer_norm_eps = 1e-6;
  options.num_labels = classes;
  return options;
}

}  // namespace detail

SINTER_INLINE VisionTransformer vit_b_16(std::int64_t classes, Where where) {
  return VisionTransformer(detail::torchvision_vit(classes), where);
}
SINTER_INLINE VisionTransformer vit_b_32(std::int64_t classes, Where where) {
  ViTOptions options = detail::torchvision_vit(classes);
  options.patch_size = 32;
  return VisionTransformer(options, where);
}
SINTER_INLINE VisionTransformer vit_l_16(std::int64_t classes, Where where) {
  ViTOptions options = detail::torchvision_vit(classes);
  options.hidden_size = 1024;
  options.num_hidden_layers = 24;
  options.num_attention_heads = 16;
  options.intermediate_size = 4096;
  return VisionTransformer(options, where);
}

}  // namespace sinter::inline SINTER_ABI::models
