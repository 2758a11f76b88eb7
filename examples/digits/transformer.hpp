#pragma once
// A vision transformer of two layers: an image is 16 patches of 2x2 pixels, each a token.

#include <sinter/sinter.hpp>

namespace digits {

struct Transformer {
  using Layer = sinter::nn::TransformerEncoderLayer;
  static constexpr sinter::nn::TransformerEncoderLayerOptions options{
      .dim_feedforward = 256,
      .dropout = 0,
      .activation = sinter::nn::Activation::gelu,
      .batch_first = true,
      .norm_first = true};

  sinter::nn::Linear embed{4, 64};
  sinter::Tensor positions = sinter::randn({16, 64}) * 0.02f;
  Layer first{64, 4, options}, second{64, 4, options};
  sinter::nn::LayerNorm norm{64};
  sinter::nn::Linear last{64, 10};
  SINTER_MODULE(Transformer, embed, positions, first, second, norm, last)

  /// f32[n, 64], an image a row, as f32[n, 16, 4].
  static sinter::Tensor patches(const sinter::Tensor& images) {
    const sinter::Tensor grid = reshape(images, {images.size(0), 4, 2, 4, 2});
    return reshape(permute(grid, {0, 1, 3, 2, 4}), {images.size(0), 16, 4});
  }

  sinter::Tensor forward(const sinter::Tensor& images) const {
    const sinter::Tensor tokens = second(first(embed(patches(images)) + positions));
    return last(mean(norm(tokens), {1}));
  }
};

}  // namespace digits
