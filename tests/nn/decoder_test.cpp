// test: moved
// Values are checked against torch in nn/training_test.cpp; here, names, defaults and masks.

#include <sinter/nn/decoder.hpp>
#include <sinter/sinter.hpp>

#include "trace/testing.hpp"

using namespace testing;

namespace {

Tensor sequence(const Shape& shape) { return sin(counting(shape)); }

}  // namespace

TEST_CASE("TransformerDecoderLayer: has the names and defaults of torch") {
  const nn::TransformerDecoderLayer layer(4, 2);
  std::string names;
  for (const auto& [name, parameter] : nn::named_parameters(layer)) names += name + " ";
  CHECK(names ==
        "self_attn.in_proj_weight self_attn.in_proj_bias self_attn.out_proj.weight "
        "self_attn.out_proj.bias multihead_attn.in_proj_weight multihead_attn.in_proj_bias "
        "multihead_attn.out_proj.weight multihead_attn.out_proj.bias linear1.weight linear1.bias "
        "linear2.weight linear2.bias norm1.weight norm1.bias norm2.weight norm2.bias norm3.weight "
        "norm3.bias ");
  CHECK(to_string(layer.linear1.weight) == "f32[2048, 4]");
  CHECK(layer.dropout3.p == 0.1);
  CHECK(nn::named_parameters(nn::TransformerDecoderLayer(4, 2, {.bias = false})).size() == 9);
}

TEST_CASE("TransformerDecoder: a target sees neither later ones nor padded memory") {
  const nn::TransformerDecoderLayer layer(4, 2, {.dim_feedforward = 8, .batch_first = true});
  nn::TransformerDecoder decoder(layer, 2, nn::LayerNorm(4));
  nn::eval(decoder);
  const Tensor tgt = sequence({2, 3, 4}), memory = cos(counting({2, 5, 4}));
  const Tensor padding =
      from_vector<bool>({false, false, false, true, true, false, false, false, true, true}, {2, 5});
  const Tensor later = arange(3) > unsqueeze(arange(3), 1);
  const Tensor all_masked =
      decoder(tgt, memory, {.memory_key_padding_mask = padding, .tgt_is_causal = true});
  const Tensor by_mask =
      decoder(tgt, memory, {.tgt_mask = later, .memory_key_padding_mask = padding});
  CHECK(near(all_masked, numbers(by_mask), 1e-5));
  const Tensor shorter =
      decoder(tgt[{all, Slice{0, 2}}], memory[{all, Slice{0, 3}}], {.tgt_is_causal = true});
  CHECK(near(all_masked[{all, Slice{0, 2}}], numbers(shorter), 1e-5));
  const Tensor across = from_vector<bool>({false, true, true, true, true}, {1, 5});
  const Tensor one = decoder(tgt, memory, {.memory_mask = expand(across, {3, 5})});
  CHECK(near(one, numbers(decoder(tgt, memory[{all, Slice{0, 1}}])), 1e-5));
}

TEST_CASE("TransformerDecoder: compiles to what it computes, for lengths of both sequences") {
  const nn::TransformerDecoderLayer layer(
      4, 2, {.dim_feedforward = 8, .batch_first = true, .norm_first = true});
  nn::TransformerDecoder decoder(layer, 2);
  nn::eval(decoder);
  const auto compiled =
      compile([](const nn::TransformerDecoder& d, const Tensor& tgt,
                 const Tensor& memory) { return d(tgt, memory, {.tgt_is_causal = true}); },
              {.fullgraph = true});
  for (const int length : {3, 5, 2}) {
    Tensor tgt = sequence({2, length, 4}), memory = cos(counting({2, 2 * length, 4}));
    mark_dynamic(tgt, 1), mark_dynamic(memory, 1);
    CHECK(near(compiled(decoder, tgt, memory),
               numbers(decoder(tgt, memory, {.tgt_is_causal = true})), 1e-5));
  }
  CHECK(compiled.stats().recordings == 1);
}

TEST_CASE("TransformerDecoderLayer: mistakes name the line of the caller") {
  const nn::TransformerDecoderLayer layer(4, 2);
  const Tensor tgt = ones({3, 2, 4});
  MISTAKE(ShapeError, layer(tgt, ones({3, 2, 5})), "MultiheadAttention: ", "f32[2, 3, 5]");
  MISTAKE(ShapeError, layer(tgt, tgt, {.tgt_mask = ones({2, 2})}), "attn_mask", "f32[2, 2]");
  MISTAKE(ValueError, nn::TransformerDecoderLayer(5, 2), "width % heads == 0");
}
