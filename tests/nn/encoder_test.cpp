// test: moved
// Values are checked against torch in training_test.cpp; here, names, defaults and masks.

#include <sinter/nn/encoder.hpp>
#include <sinter/nn/mode.hpp>
#include <sinter/sinter.hpp>

#include "trace/testing.hpp"

using namespace testing;

namespace {

Tensor sequence(const Shape& shape) { return sin(counting(shape)); }

}  // namespace

TEST_CASE("TransformerEncoderLayer: has the names and defaults of torch") {
  const nn::TransformerEncoderLayer layer(4, 2);
  std::string names;
  for (const auto& [name, parameter] : nn::named_parameters(layer)) names += name + " ";
  CHECK(names ==
        "self_attn.in_proj_weight self_attn.in_proj_bias self_attn.out_proj.weight "
        "self_attn.out_proj.bias linear1.weight linear1.bias linear2.weight linear2.bias "
        "norm1.weight norm1.bias norm2.weight norm2.bias ");
  CHECK(to_string(layer.linear1.weight) == "f32[2048, 4]");
  CHECK(layer.dropout2.p == 0.1);
  CHECK(layer.self_attn.dropout == 0.1);
  CHECK(nn::named_parameters(nn::TransformerEncoderLayer(4, 2, {.bias = false})).size() == 6);
}

TEST_CASE("TransformerEncoderLayer: is attention and two linear layers, each with its norm") {
  nn::TransformerEncoderLayer layer(4, 2, {.dim_feedforward = 8, .dropout = 0});
  const Tensor x = sequence({3, 2, 4});
  const Tensor middle = layer.norm1(x + layer.self_attn(x, x, x));
  const Tensor wide = layer.linear1(middle);
  CHECK(near(layer(x), numbers(layer.norm2(middle + layer.linear2(relu(wide))))));
  layer.activation = nn::Activation::gelu;
  CHECK(near(layer(x), numbers(layer.norm2(middle + layer.linear2(gelu(wide))))));
  layer.norm_first = true;
  const Tensor normed = layer.norm1(x);
  const Tensor sum = x + layer.self_attn(normed, normed, normed);
  CHECK(near(layer(x), numbers(sum + layer.linear2(gelu(layer.linear1(layer.norm2(sum)))))));
}

TEST_CASE("TransformerEncoder: passes its masks on to copies of a layer, and ends with a norm") {
  const nn::TransformerEncoderLayer layer(4, 2, {.dim_feedforward = 8, .batch_first = true});
  nn::TransformerEncoder encoder(layer, 2, nn::LayerNorm(4));
  nn::eval(encoder);
  const Tensor x = sequence({2, 3, 4});
  const Tensor padding = from_vector<bool>({false, false, true, false, false, false}, {2, 3});
  const Tensor later = arange(3) > unsqueeze(arange(3), 1);

  const Tensor once = encoder.layers[0](x, later, padding);
  CHECK(near(encoder(x, later, padding),
             numbers((*encoder.norm)(encoder.layers[1](once, later, padding)))));
  CHECK(near(encoder(x, {}, padding, true), numbers(encoder(x, later, padding))));
  const Tensor shorter = x[{Slice{0, 1}, Slice{0, 2}}];
  CHECK(near(encoder(x, {}, padding)[{0, Slice{0, 2}}], numbers(encoder(shorter))));
  CHECK(nn::named_parameters(encoder).back().first == "norm.bias");
  CHECK(nn::named_parameters(encoder)[12].first == "layers.1.self_attn.in_proj_weight");
}

TEST_CASE("TransformerEncoder: compiles to what it computes, for batches of any size") {
  const nn::TransformerEncoderLayer layer(
      4, 2, {.dim_feedforward = 8, .batch_first = true, .norm_first = true});
  nn::TransformerEncoder encoder(layer, 3);
  nn::eval(encoder);
  const auto compiled = compile(encoder, {.fullgraph = true});
  for (const int batch : {2, 1, 5}) {
    Tensor x = sequence({batch, 3, 4});
    mark_dynamic(x, 0);
    CHECK(near(compiled(x), numbers(encoder(x)), 1e-5));
  }
  CHECK(compiled.stats().recordings == 1);
}

TEST_CASE("TransformerEncoderLayer: mistakes name the line of the caller") {
  const nn::TransformerEncoderLayer layer(4, 2);
  MISTAKE(ShapeError, layer(ones({3, 2, 5})), "MultiheadAttention: ", "f32[2, 3, 5]");
  MISTAKE(ValueError, nn::TransformerEncoderLayer(5, 2), "width % heads == 0");
  MISTAKE(ValueError, nn::TransformerEncoderLayer(4, 2, {.dropout = 2}), "p is not a probability");
}
