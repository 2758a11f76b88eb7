// test: moved
// Values are checked against torch in nn/training_test.cpp; here, names, defaults and masks.

#include <sinter/nn/transformer.hpp>
#include <sinter/sinter.hpp>

#include "trace/testing.hpp"

using namespace testing;

namespace {

const nn::TransformerOptions small{
    .num_encoder_layers = 1, .num_decoder_layers = 2, .dim_feedforward = 8, .batch_first = true};

}  // namespace

TEST_CASE("Transformer: has the names and initial values of torch") {
  random::manual_seed(1);
  const nn::Transformer model(4, 2, small);
  const auto names = nn::named_parameters(model);
  CHECK(names.size() == 12 + 2 * 18 + 4);
  CHECK(names[0].first == "encoder.layers.0.self_attn.in_proj_weight");
  CHECK(names[12].first == "encoder.norm.weight");
  CHECK(names[14].first == "decoder.layers.0.self_attn.in_proj_weight");
  CHECK(names.back().first == "decoder.norm.bias");
  const double bound = std::sqrt(6.0 / (4 + 8));
  double largest = 0;
  for (const double x : numbers(model.encoder.layers[0].linear1.weight)) {
    largest = std::fmax(largest, std::fabs(x));
  }
  CHECK(largest <= bound);
  CHECK(largest > 0.8 * bound);
  CHECK(numbers(model.decoder.layers[0].linear1.weight) !=
        numbers(model.decoder.layers[1].linear1.weight));
}

TEST_CASE("Transformer: is the decoder behind the encoder, with the masks of each") {
  nn::Transformer model(4, 2, small);
  nn::eval(model);
  const Tensor src = sin(counting({2, 3, 4})), tgt = cos(counting({2, 5, 4}));
  const Tensor padding = from_vector<bool>({false, false, true, false, false, true}, {2, 3});
  const Tensor memory = model.encoder(src, {}, padding);
  const Tensor later = nn::Transformer::generate_square_subsequent_mask(5);
  const Tensor expected =
      model.decoder(tgt, memory, {.tgt_mask = later, .memory_key_padding_mask = padding});
  CHECK(near(model(src, tgt,
                   {.src_key_padding_mask = padding,
                    .memory_key_padding_mask = padding,
                    .tgt_is_causal = true}),
             numbers(expected), 1e-5));
}

TEST_CASE("Transformer: the mask of later positions is -infinity above the diagonal") {
  CHECK(near(nn::Transformer::generate_square_subsequent_mask(2), {0, -infinity, 0, 0}));
}

TEST_CASE("Transformer: mistakes name the line of the caller") {
  const nn::Transformer model(4, 2, small);
  const Tensor src = ones({2, 3, 4});
  MISTAKE(ShapeError, model(src, ones({3, 3, 4})), "f32[3, 3, 4]", "f32[2, 3, 4]");
  MISTAKE(ValueError, nn::Transformer(5, 2, small), "width % heads == 0");
}
