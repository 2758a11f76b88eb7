// test: deep cost=20
// TransformerDecoder against that of torch: 20 steps with the same weights and data.

#include <sinter/layers.hpp>

#include "nn/training.hpp"

using namespace training;

namespace {

struct Decoder {
  nn::TransformerDecoder decoder;
  nn::Linear head{8, 4};
  SINTER_MODULE(Decoder, decoder, head)

  explicit Decoder(const nn::TransformerDecoderLayerOptions& options)
      : decoder(nn::TransformerDecoderLayer(8, 2, options), 2, nn::LayerNorm(8)) {}

  Tensor forward(const Tensor& x) const {
    const Tensor padding = expand(arange(3) == 2, {x.size(1), 3});
    const Tensor later = arange(2) > unsqueeze(arange(2), 1);
    const Tensor memory = x[Slice{0, 3}], tgt = x[Slice{3, std::nullopt}];
    const Tensor found =
        decoder(tgt, memory, {.tgt_mask = later, .memory_key_padding_mask = padding});
    return head(mean(found, 0));
  }
};

const optim::SGD sgd{.learning_rate = 0.1f, .momentum = 0.9};

}  // namespace

TEST_CASE("training: decoders are torch's") {
  check("decoder", Decoder({.dim_feedforward = 12, .dropout = 0}), sgd, 1);
  check("decoder_norm_first",
        Decoder({.dim_feedforward = 12,
                 .dropout = 0,
                 .activation = nn::Activation::gelu,
                 .norm_first = true}),
        sgd, 1);
}
