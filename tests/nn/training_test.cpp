// test: moved cost=20
// Layers against those of torch: 20 steps with the same weights and data.

#include <sinter/layers.hpp>

#include "nn/training.hpp"

using namespace training;

namespace {

template <class Layer>
struct Recurrent {
  Layer recurrent;
  nn::Linear head;
  SINTER_MODULE(Recurrent, recurrent, head)
  Tensor forward(const Tensor& x) const { return head(mean(recurrent(x).output, 0)); }
};

template <class Layer>
Recurrent<Layer> classifier(Layer layer) {
  return {layer, nn::Linear(layer.hidden_size * (layer.bidirectional ? 2 : 1), 4)};
}

struct Encoder {
  nn::TransformerEncoderLayer layer;
  nn::Linear head{8, 4};
  SINTER_MODULE(Encoder, layer, head)
  Tensor forward(const Tensor& x) const { return head(mean(layer(x), 0)); }
};

struct Translator {
  nn::Transformer transformer{8,
                              2,
                              {.num_encoder_layers = 2,
                               .num_decoder_layers = 2,
                               .dim_feedforward = 12,
                               .dropout = 0,
                               .activation = nn::Activation::gelu,
                               .batch_first = true,
                               .norm_first = true}};
  nn::Linear head{8, 4};
  SINTER_MODULE(Translator, transformer, head)

  Tensor forward(const Tensor& x) const {
    const Tensor padding = expand(arange(3) == 2, {x.size(0), 3});
    const Tensor src = x[{all, Slice{0, 3}}], tgt = x[{all, Slice{3, std::nullopt}}];
    const Tensor found =
        transformer(src, tgt,
                    {.tgt_mask = nn::Transformer::generate_square_subsequent_mask(2),
                     .src_key_padding_mask = padding,
                     .memory_key_padding_mask = padding});
    return head(mean(found, 1));
  }
};

struct Attention {
  nn::MultiheadAttention attention{8, 4, {.batch_first = true}};
  nn::Linear head{8, 4};
  SINTER_MODULE(Attention, attention, head)
  Tensor forward(const Tensor& x) const {
    const Tensor memory = x[{all, Slice{1, std::nullopt}}];
    const Tensor padding = expand(arange(4) == 3, {x.size(0), 4});
    const Tensor later = arange(4) > unsqueeze(arange(5), 1);
    const Tensor found =
        attention(x, memory, memory, {.key_padding_mask = padding, .attn_mask = later});
    return head(mean(found, 1));
  }
};

struct Embedded {
  nn::Embedding embedding{7, 8, {.padding_idx = 0}};
  nn::LayerNorm norm{8};
  nn::Linear head{8, 4};
  SINTER_MODULE(Embedded, embedding, norm, head)
  Tensor forward(const Tensor& x) const { return head(mean(norm(embedding(x)), 1)); }
};

struct Convolution {
  nn::Conv2d conv1{2, 4, 3, {.padding = 1}};
  nn::BatchNorm2d norm{4};
  nn::Conv2d conv2{4, 4, 3, {.stride = 2, .bias = false}};
  nn::Linear head{4, 4};
  SINTER_MODULE(Convolution, conv1, norm, conv2, head)
  Tensor forward(const Tensor& x) {
    const Tensor h = max_pool2d(relu(norm(conv1(x))), 2);
    return head(mean(relu(conv2(h)), {2, 3}));
  }
};

const optim::SGD sgd{.learning_rate = 0.1f, .momentum = 0.9};

}  // namespace

TEST_CASE("training: recurrent layers are torch's") {
  check("lstm", classifier(nn::LSTM(3, 5)), sgd, 1);
  check("gru", classifier(nn::GRU(3, 5)), sgd, 1);
  const nn::RNNOptions options{.nonlinearity = nn::RNNNonlinearity::relu};
  check("rnn", classifier(nn::RNN(3, 5, options)), sgd, 1);
  if (sinter_test::on_gpu()) return;  // the others train long
  check("lstm_two_ways", classifier(nn::LSTM(3, 4, {.num_layers = 2, .bidirectional = true})), sgd,
        1);
  check("gru_two_layers", classifier(nn::GRU(3, 4, {.num_layers = 2, .bias = false})), sgd, 1);
}

TEST_CASE("training: attention and the encoder's layer are torch's") {
  const nn::TransformerEncoderLayer other(8, 2,
                                          {.dim_feedforward = 12,
                                           .dropout = 0,
                                           .activation = nn::Activation::gelu,
                                           .norm_first = true});
  check("encoder_norm_first", Encoder{.layer = other}, sgd, 1);
  if (sinter_test::on_gpu()) return;  // the others train long
  check("attention", Attention(), sgd);
  const nn::TransformerEncoderLayer layer(8, 2, {.dim_feedforward = 12, .dropout = 0});
  check("encoder", Encoder{.layer = layer}, sgd, 1);
}

TEST_CASE("training: the transformer is torch's") { check("transformer", Translator(), sgd); }

TEST_CASE("training: Embedding and LayerNorm are torch's") { check("embedding", Embedded(), sgd); }

TEST_CASE("training: convolutions and BatchNorm2d are torch's") {
  check("convolution", Convolution(), sgd);
}
