// test: moved
// Values are checked against torch in training_test.cpp; here, shapes, masks, names and mistakes.

#include <sinter/nn/attention.hpp>
#include <sinter/nn/mode.hpp>
#include <sinter/sinter.hpp>

#include "trace/testing.hpp"

using namespace testing;

namespace {

Tensor sequence(const Shape& shape) { return sin(counting(shape)); }

/// The attention written out, of one head, without a batch.
Tensor attend(const nn::MultiheadAttention& layer, const Tensor& x, const Tensor& memory) {
  const Tensor weight = layer.in_proj_weight, bias = *layer.in_proj_bias;
  const auto part = [&](const Tensor& from, int i) {
    const Slice rows{4 * i, 4 * i + 4};
    return linear(from, weight[rows], bias[rows]);
  };
  const Tensor scores = matmul(part(x, 0), transpose(part(memory, 1), 0, 1)) / 2;
  return layer.out_proj(matmul(softmax(scores, -1), part(memory, 2)));
}

}  // namespace

TEST_CASE("MultiheadAttention: names and starts its parameters as torch does") {
  random::manual_seed(1);
  const nn::MultiheadAttention layer(16, 4);
  std::string names;
  for (const auto& [name, parameter] : nn::named_parameters(layer)) {
    names += name + " " + to_string(parameter) + " ";
  }
  CHECK(names ==
        "in_proj_weight f32[48, 16] in_proj_bias f32[48] out_proj.weight f32[16, 16] "
        "out_proj.bias f32[16] ");
  const double bound = std::sqrt(6.0 / (48 + 16)),
               largest = max(abs(layer.in_proj_weight)).item<double>();
  CHECK(largest <= bound);
  CHECK(largest > 0.98 * bound);
  CHECK(near(*layer.in_proj_bias, Numbers(48, 0)));
  CHECK(near(*layer.out_proj.bias, Numbers(16, 0)));
  CHECK(nn::named_parameters(nn::MultiheadAttention(4, 2, {.bias = false})).size() == 2);
}

TEST_CASE("MultiheadAttention: is the softmax of products, for itself and for another sequence") {
  nn::MultiheadAttention layer(4, 1);
  layer.in_proj_bias = sequence({12});
  const Tensor x = sequence({3, 4}), memory = cos(counting({5, 4}));
  CHECK(near(layer(x, x, x).output, numbers(attend(layer, x, x))));
  CHECK(near(layer(x, memory, memory).output, numbers(attend(layer, x, memory))));
  CHECK(near(layer(x, memory, memory * 1).output, numbers(attend(layer, x, memory))));
}

TEST_CASE("MultiheadAttention: gives output and weights, and is used as its output") {
  const nn::MultiheadAttention layer(4, 2);
  const Tensor x = sequence({3, 2, 4});
  const auto [output, weights] = layer(x, x, x);
  CHECK(to_string(output) == "f32[3, 2, 4]");
  CHECK(to_string(weights) == "f32[2, 3, 3]");
  CHECK(near(sum(weights, -1), Numbers(6, 1)));
  CHECK(to_string(layer(x, x, x, {.average_attn_weights = false}).weights) == "f32[2, 2, 3, 3]");
  const Tensor sum = x + layer(x, x, x);
  CHECK(near(sum, numbers(x + output)));
}

TEST_CASE("MultiheadAttention: the batch is axis 1, or 0 if it comes first, or none") {
  nn::MultiheadAttention layer(4, 2);
  const Tensor x = sequence({3, 2, 4}), turned = transpose(x, 0, 1);
  const Tensor expected = layer(x, x, x).output;
  CHECK(near(layer(x[{all, 1}], x[{all, 1}], x[{all, 1}]).output, numbers(expected[{all, 1}])));
  layer.batch_first = true;
  CHECK(near(layer(turned, turned, turned).output, numbers(transpose(expected, 0, 1))));
}

TEST_CASE("MultiheadAttention: masks are true where nobody looks, or are added") {
  const nn::MultiheadAttention layer(4, 2, {.batch_first = true});
  const Tensor x = sequence({2, 3, 4});
  const Tensor later = arange(3) > unsqueeze(arange(3), 1);
  const auto causal = layer(x, x, x, {.is_causal = true});
  CHECK(near(causal.weights[{all, 0}], {1, 0, 0, 1, 0, 0}));
  CHECK(near(layer(x, x, x, {.attn_mask = later}).output, numbers(causal.output)));
  const Tensor added = where(later, -infinity, 0.0f);
  CHECK(near(layer(x, x, x, {.attn_mask = added}).output, numbers(causal.output)));
  const Tensor of_heads = expand(later, {4, 3, 3});
  CHECK(near(layer(x, x, x, {.attn_mask = of_heads}).output, numbers(causal.output)));

  const Tensor padding = from_vector<bool>({false, false, true, false, false, false}, {2, 3});
  const auto padded = layer(x, x, x, {.key_padding_mask = padding});
  CHECK(near(padded.weights[{0, all, 2}], {0, 0, 0}));
  const Tensor shorter = x[{0, Slice{0, 2}}];
  CHECK(near(padded.output[{0, Slice{0, 2}}], numbers(layer(shorter, shorter, shorter).output)));
}

TEST_CASE("MultiheadAttention: drops weights while training") {
  random::manual_seed(1);
  nn::MultiheadAttention layer(4, 2, {.dropout = 0.5});
  const Tensor x = sequence({3, 2, 4});
  CHECK(numbers(layer(x, x, x)) != numbers(layer(x, x, x)));
  nn::eval(layer);
  CHECK(near(layer(x, x, x), numbers(layer(x, x, x)), 0));
}

TEST_CASE("MultiheadAttention: sequences of any length are one recording") {
  const nn::MultiheadAttention layer(4, 2);
  const auto compiled =
      compile([](const nn::MultiheadAttention& attention,
                 const Tensor& x) { return attention(x, x, x, {.is_causal = true}).output; },
              {.fullgraph = true});
  for (const int length : {5, 1, 12, 7}) {
    Tensor x = sequence({length, 2, 4});
    mark_dynamic(x, 0);
    CHECK(near(compiled(layer, x), numbers(layer(x, x, x, {.is_causal = true})), 1e-5));
  }
  CHECK(compiled.stats().recordings == 1);
}

TEST_CASE("MultiheadAttention: a captured layer, whose sizes may vary, takes any length") {
  const nn::MultiheadAttention layer(4, 2);
  const auto f = [&](const Tensor& x, const Tensor& y) { return layer(x, y, y).output; };
  const auto compiled = compile(f, {.fullgraph = true});
  for (const auto& [length, keys] : {std::pair{5, 3}, {4, 7}, {9, 2}, {1, 1}}) {
    const Tensor x = sequence({length, 2, 4}), y = sequence({keys, 2, 4});
    CHECK(near(compiled(x, y), numbers(f(x, y)), 1e-5));
  }
}

TEST_CASE("MultiheadAttention: mistakes name the line, the values, the rule and the way out") {
  const nn::MultiheadAttention layer(4, 2);
  const Tensor x = ones({3, 2, 4}), wide = ones({3, 2, 5});
  MISTAKE(ValueError, nn::MultiheadAttention(5, 2), "5", "2");
  MISTAKE(ShapeError, layer(wide, wide, wide), "MultiheadAttention: ", "f32[2, 3, 5]");
  MISTAKE(ShapeError, layer(x, ones({3, 1, 4}), x), "f32[1, 3, 4]");
  MISTAKE(ShapeError, layer(x, x, ones({2, 2, 4})), "f32[2, 2, 4]");
  const Tensor square = zeros({2, 2}), lying = zeros({3, 2}), row = zeros({3});
  MISTAKE(ShapeError, layer(x, x, x, {.attn_mask = square}), "attn_mask", "f32[2, 2]");
  MISTAKE(ShapeError, layer(x, x, x, {.key_padding_mask = lying}), "key_padding_mask", "f32[3, 2]");
  MISTAKE(ShapeError, layer(x, x, x, {.attn_mask = row}), "(queries, keys)");
}
