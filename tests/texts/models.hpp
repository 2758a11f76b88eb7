#pragma once
// The graphs of models as users write them: forward passes, and training steps that update their
// parameters in place.

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <sinter/graph/graph.hpp>
#include <sinter/schedule/ir/plan.hpp>
#include <sinter/sinter.hpp>
#include <sinter/trace/core/extract.hpp>

namespace emitted {

using namespace sinter;
using namespace sinter::detail;

/// A graph to compile, and the inputs that its outputs update.
struct Case {
  std::string name;
  Graph graph;
  Vector<schedule::Update> updates{};
};

inline Shape shape_of(const std::vector<std::int64_t>& sizes) {
  Shape result;
  for (const std::int64_t size : sizes) result.push_back(size);
  return result;
}

/// Elements that are there, so that they become inputs.
inline Tensor input(std::vector<std::int64_t> sizes, float scale = 0.1f) {
  std::size_t count = 1;
  for (const std::int64_t size : sizes) count *= static_cast<std::size_t>(size);
  return from_vector(std::vector<float>(count, scale), shape_of(sizes));
}

inline Tensor indices(std::vector<std::int64_t> sizes) {
  std::size_t count = 1;
  for (const std::int64_t size : sizes) count *= static_cast<std::size_t>(size);
  return from_vector(std::vector<std::int64_t>(count, 1), shape_of(sizes));
}

/// The graph of `outputs`, as a function of `inputs` and of what else has elements.
inline Graph graph_of(const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs) {
  Graph graph;
  Extractor extractor(graph);
  for (const Tensor& each : inputs) extractor.add_input(each);
  for (const Tensor& each : outputs) graph.outputs.push_back(extractor.add(each));
  return graph;
}

template <class Model>
std::vector<Tensor> parameters_of(Model& model) {
  std::vector<Tensor> result;
  nn::for_each_parameter(model, [&](const auto&, Tensor& value) { result.push_back(value); });
  return result;
}

/// What `model` gives for `x` when it is only used.
template <class Model>
Case forward(std::string name, Model model, const std::vector<Tensor>& inputs,
             const std::function<Tensor(Model&)>& call) {
  nn::eval(model);
  std::vector<Tensor> all = parameters_of(model);
  all.insert(all.end(), inputs.begin(), inputs.end());
  return {std::move(name), graph_of(all, {call(model)})};
}

/// A step of Adam, written out, which updates the parameters and two moments of each.
template <class Model>
Case training(std::string name, Model model, const std::vector<Tensor>& inputs,
              const std::function<Tensor(Model&)>& loss_of) {
  nn::train(model);
  std::vector<Tensor> all, outputs;
  std::vector<std::string> names;
  nn::for_each_parameter(model, [&](const std::string& path, Tensor& value) {
    names.push_back(path);
    all.push_back(value);
  });
  const std::size_t count = all.size();
  for (std::size_t moment = 0; moment < 2; ++moment) {
    for (std::size_t i = 0; i < count; ++i) all.push_back(full(all[i].shape(), 0.5f));
  }
  all.insert(all.end(), inputs.begin(), inputs.end());
  auto [loss, gradients] = value_and_grad(model, [&] { return loss_of(model); });
  std::array<std::vector<Tensor>, 3> updated;
  for (std::size_t i = 0; i < count; ++i) {
    const Tensor gradient = gradients[names[i]];
    const Tensor mean = 0.9f * all[count + i] + 0.1f * gradient;
    const Tensor square_mean = 0.999f * all[2 * count + i] + 0.001f * square(gradient);
    updated[0].push_back(all[i] - 0.001f * mean / (sqrt(square_mean) + 1e-8f));
    updated[1].push_back(mean), updated[2].push_back(square_mean);
  }
  Case result{std::move(name), {}};
  for (const auto& list : updated) {
    for (const Tensor& each : list) {
      const auto at = static_cast<std::int32_t>(outputs.size());
      result.updates.push_back({at, at});
      outputs.push_back(each);
    }
  }
  outputs.push_back(loss);
  result.graph = graph_of(all, outputs);
  return result;
}

struct Mlp {
  nn::Linear linear1{784, 256}, linear2{256, 256}, linear3{256, 10};
  SINTER_MODULE(Mlp, linear1, linear2, linear3)
  Tensor forward(const Tensor& x) const { return linear3(relu(linear2(relu(linear1(x))))); }
};

struct Convolutions {
  nn::Conv2d conv1{3, 16, 3, {.padding = 1}}, conv2{16, 32, 3, {.stride = 2, .padding = 1}};
  nn::BatchNorm2d norm1{16}, norm2{32};
  nn::Linear last{32, 10};
  SINTER_MODULE(Convolutions, conv1, conv2, norm1, norm2, last)
  Tensor forward(const Tensor& x) {
    Tensor h = max_pool2d(relu(norm1(conv1(x))), 2);
    h = relu(norm2(conv2(h)));
    return last(mean(h, {2, 3}));
  }
};

struct Words {
  nn::Embedding word{1000, 64}, position{128, 64};
  std::vector<nn::TransformerEncoderLayer> layers{};
  nn::LayerNorm norm{64};
  SINTER_MODULE(Words, word, position, layers, norm)
  Tensor forward(const Tensor& ids) const {
    Tensor h = word(ids) + position(arange(ids.size(1)));
    for (const auto& layer : layers) h = layer(h, {}, {}, true);
    return matmul(norm(h), transpose(word.weight, 0, 1));
  }
};

inline nn::TransformerEncoderLayer layer(std::int64_t width, std::int64_t heads, bool norm_first) {
  return nn::TransformerEncoderLayer(width, heads,
                                     {.dim_feedforward = 4 * width,
                                      .dropout = 0,
                                      .activation = nn::Activation::gelu,
                                      .batch_first = true,
                                      .norm_first = norm_first});
}

inline std::vector<Case> models() {
  std::vector<Case> result;
  const Tensor images = input({64, 784}), classes = indices({64}), colours = input({4, 3, 32, 32});
  const Tensor few = indices({4}), text = indices({2, 128}), next = indices({2, 128});
  const Tensor rows = input({2, 128, 256}), sequence = input({16, 8, 32});
  const std::function<Tensor(Mlp&)> mlp_loss = [&](Mlp& m) {
    return cross_entropy(m.forward(images), classes);
  };
  const std::function<Tensor(Convolutions&)> conv_loss = [&](Convolutions& m) {
    return cross_entropy(m.forward(colours), few);
  };
  const std::function<Tensor(Words&)> words_loss = [&](Words& m) {
    return cross_entropy(reshape(m.forward(text), {256, 1000}), reshape(next, {256}));
  };
  using Block = nn::TransformerEncoderLayer;
  const std::function<Tensor(Block&)> block_loss = [&](Block& m) {
    return mse_loss(m(rows), rows);
  };
  result.push_back(forward<Mlp>("mlp", Mlp(), {images}, [&](Mlp& m) { return m.forward(images); }));
  result.push_back(training<Mlp>("mlp train", Mlp(), {images, classes}, mlp_loss));
  result.push_back(forward<Convolutions>("convolutions", Convolutions(), {colours},
                                         [&](Convolutions& m) { return m.forward(colours); }));
  result.push_back(
      training<Convolutions>("convolutions train", Convolutions(), {colours, few}, conv_loss));
  for (const bool norm_first : {false, true}) {
    const std::string kind = norm_first ? "block, norms first" : "block, norms last";
    result.push_back(
        forward<Block>(kind, layer(256, 8, norm_first), {rows}, [&](Block& m) { return m(rows); }));
    result.push_back(
        training<Block>(kind + ", train", layer(256, 8, norm_first), {rows}, block_loss));
    Words words;
    for (int i = 0; i < 2; ++i) words.layers.push_back(layer(64, 4, norm_first));
    result.push_back(
        forward<Words>(kind + ", words", words, {text}, [&](Words& m) { return m.forward(text); }));
    result.push_back(training<Words>(kind + ", words, train", words, {text, next}, words_loss));
  }
  result.push_back(forward<nn::LSTM>("lstm", nn::LSTM(32, 64), {sequence},
                                     [&](nn::LSTM& m) { return m(sequence).output; }));
  result.push_back(training<nn::LSTM>("lstm train", nn::LSTM(32, 64), {sequence}, [&](nn::LSTM& m) {
    return mean(square(m(sequence).output));
  }));
  const Tensor x = input({1024, 1024}), y = input({1024, 1024}), column = input({1024, 1});
  const Tensor q = input({2, 8, 512, 64}), long_rows = input({64, 50257});
  const std::vector<std::pair<const char*, Tensor>> functions{
      {"softmax", softmax(x, -1)},
      {"log_softmax of long rows", log_softmax(long_rows, -1)},
      {"layer_norm", layer_norm(x, {1024})},
      {"chain", tanh(x * y + 1.0f) * sigmoid(x) - exp(-square(y))},
      {"outer sum", sum(x * transpose(y, 0, 1) + column, {0})},
      {"column sums", sum(x, {0}) + sum(y, {0})},
      {"all sums", sum(x * y) + mean(x) - max(y)},
      {"product", matmul(x, y)},
      {"product of bf16", matmul(x.to(bf16), y.to(bf16))},
      {"product with an epilogue", relu(matmul(x, y) + column)},
      {"attention", scaled_dot_product_attention(q, q, q)},
      {"causal attention", scaled_dot_product_attention(q, q, q, {.causal = true})},
      {"sorted", sort(x, -1).values},
      {"running", cumsum(x, 1)},
      {"gradient of attention",
       grad([](const Tensor& t) { return sum(scaled_dot_product_attention(t, t, t)); })(q)}};
  for (const auto& [name, output] : functions) {
    result.push_back({name, graph_of({x, y, column, q, long_rows}, {output})});
  }
  return result;
}

}  // namespace emitted
