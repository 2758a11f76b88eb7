// test: moved
// Gradients of layers with respect to their parameters and inputs, against differences, in f64.

#include <sinter/layers.hpp>
#include <sinter/sinter.hpp>

#include <cmath>

#include "trace/testing.hpp"

using namespace testing;

namespace {

Numbers elements(const Tensor& x) { return x.to_vector<double>(); }

// sum(y * numbers that differ), so that no two elements of y matter alike.
Tensor weighted(const Tensor& y) {
  const Tensor positions = reshape(arange(y.numel()), y.shape()).to(f64);
  return sum(y * cos(positions + 1.0));
}

// The largest relative error of `gradient` against differences of `value` in the elements of
// `variable`.
template <class Value>
double error_of(Tensor& variable, const Tensor& gradient, Value value) {
  const Tensor before = variable;
  Numbers numbers = elements(before);
  const Numbers found = elements(gradient);
  double worst = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double x = numbers[i], step = 1e-5 * std::fmax(1, std::fabs(x));
    const auto at = [&](double moved) {
      numbers[i] = moved;
      variable = from_vector(numbers, before.shape());
      return value().template item<double>();
    };
    const double slope = (at(x + step) - at(x - step)) / (2 * step);
    numbers[i] = x;
    const double error = std::fabs(found[i] - slope) / std::fmax(1, std::fabs(slope));
    worst = error <= worst ? worst : error;  // and a NaN stays
  }
  variable = before;
  return worst;
}

/// A layer with its input as one more parameter.
template <class Layer, class Call>
struct Both {
  Layer layer;
  Tensor x;
  SINTER_MODULE(Both, layer, x)
};

template <class Layer, class Call>
void check(Layer layer, const Shape& shape, Call call) {
  nn::to(layer, f64);
  Both<Layer, Call> both{std::move(layer), randn(shape, f64)};
  nn::for_each_parameter(both, [](const std::string&, Tensor& parameter) {
    parameter = from_vector(elements(parameter), parameter.shape());
  });
  const auto value = [&] { return weighted(call(both.layer, both.x)); };
  const Gradients gradients = value_and_grad(both, value).gradients;
  CHECK(gradients.size() == nn::named_parameters(both).size());
  const ScopedDevice host(cpu());  // where differences are quick
  nn::to(both, cpu());
  nn::for_each_parameter(both, [&](const std::string& name, Tensor& parameter) {
    INFO(name);
    CHECK(error_of(parameter, gradients[name], value) <= 1e-6);
  });
}

template <class Layer>
void check(Layer layer, const Shape& shape) {
  check(std::move(layer), shape, [](Layer& l, const Tensor& x) { return l(x); });
}

const auto output = [](const auto& layer, const Tensor& x) { return layer(x).output; };

}  // namespace

TEST_CASE("gradients: Linear, norms and activations have those of differences") {
  random::manual_seed(1);
  check(nn::Linear(3, 2), {2, 3});
  check(nn::Linear(3, 2, {.bias = false}), {3});
  check(nn::LayerNorm(4), {2, 4});
  check(nn::RMSNorm(4), {2, 4});
  check(nn::Sequential{nn::Linear{3, 4}, nn::Tanh{}, nn::Linear{4, 2}}, {2, 3});
  check(nn::GELU(), {6});
  check(nn::GELU{.form = Gelu::tanh}, {6});
  check(nn::SiLU(), {6});
  check(nn::Sigmoid(), {6});
  check(nn::LogSigmoid(), {6});
  check(nn::Softplus(), {6});
  check(nn::Softsign(), {6});
  check(nn::Mish(), {6});
  check(nn::ELU(), {6});
  check(nn::SELU(), {6});
  check(nn::LeakyReLU(), {6});
  check(nn::PReLU(), {6});
  check(nn::PReLU(3), {2, 3});
  check(nn::Softmax(), {2, 3});
  check(nn::LogSoftmax(), {2, 3});
  check(nn::GLU(), {2, 4});
}

TEST_CASE("gradients: Flatten, Unflatten and Identity have those of differences") {
  check(nn::Flatten(), {2, 2, 2});
  check(nn::Unflatten{.axis = 1, .sizes = {2, -1}}, {2, 6});
  check(nn::Identity(), {3});
}

TEST_CASE("gradients: Embedding has those of differences") {
  random::manual_seed(2);
  const auto call = [](const nn::Embedding& layer, const Tensor& x) {
    return layer(integers({1, 0, 3, 1})) * x;
  };
  check(nn::Embedding(4, 3), {4, 3}, call);
  const auto reduce = [](const nn::EmbeddingBag& layer, const Tensor& x) {
    return layer(integers({1, 0, 3, 1, 2}), integers({0, 2})) * x;
  };
  for (const BagMode mode : {BagMode::sum, BagMode::mean, BagMode::max}) {
    check(nn::EmbeddingBag(4, 3, {.mode = mode}), {2, 3}, reduce);
  }
}

TEST_CASE("gradients: recurrent layers and cells have those of differences") {
  random::manual_seed(3);
  check(nn::LSTM(2, 3), {3, 2, 2}, output);
  check(nn::LSTM(2, 2, {.num_layers = 2, .batch_first = true, .bidirectional = true}), {1, 3, 2},
        output);
  check(nn::GRU(2, 3), {3, 2, 2}, output);
  check(nn::GRU(2, 2, {.num_layers = 2, .bias = false}), {3, 2}, output);
  check(nn::RNN(2, 3), {3, 2, 2}, output);
  check(nn::LSTMCell(2, 3), {2, 2}, [](const nn::LSTMCell& cell, const Tensor& x) {
    const nn::LSTMState state = cell(x, cell(x));
    return state.h * state.c;
  });
  check(nn::GRUCell(2, 3), {2, 2},
        [](const nn::GRUCell& cell, const Tensor& x) { return cell(x, cell(x)); });
  check(nn::RNNCell(2, 3), {2, 2},
        [](const nn::RNNCell& cell, const Tensor& x) { return cell(x, cell(x)); });
}

TEST_CASE("gradients: attention and the encoder's layer have those of differences") {
  random::manual_seed(4);
  check(nn::MultiheadAttention(4, 2), {3, 2, 4},
        [](const nn::MultiheadAttention& layer, const Tensor& x) {
          return layer(x, x * 0.5, x * x, {.is_causal = true}).output;
        });
  check(
      nn::MultiheadAttention(4, 2, {.bias = false}), {3, 4},
      [](const nn::MultiheadAttention& layer, const Tensor& x) { return layer(x, x, x).weights; });
  const nn::TransformerEncoderLayerOptions options{
      .dim_feedforward = 3, .dropout = 0, .activation = nn::Activation::gelu};
  check(nn::TransformerEncoderLayer(4, 2, options), {3, 2, 4});
  check(nn::TransformerDecoderLayer(4, 2, options), {3, 2, 4},
        [](const nn::TransformerDecoderLayer& layer, const Tensor& x) {
          return layer(x, x * x, {.tgt_is_causal = true});
        });
}

TEST_CASE("gradients: convolutions have those of differences") {
  random::manual_seed(5);
  check(nn::Conv1d(2, 4, 3, {.stride = 2, .padding = 1, .groups = 2}), {2, 2, 5});
  check(nn::Conv2d(2, 3, 2, {.dilation = 2, .bias = false}), {1, 2, 4, 4});
  check(nn::Conv3d(1, 2, 2), {1, 1, 3, 2, 2});
  check(nn::ConvTranspose2d(2, 4, 3, {.stride = 2, .padding = 1, .groups = 2}), {1, 2, 3, 2});
  check(nn::PixelShuffle{2}, {1, 4, 2, 2});
  check(nn::ReflectionPad2d(1), {1, 1, 3, 2});
}

TEST_CASE("gradients: norms of channels have those of differences") {
  random::manual_seed(6);
  check(nn::GroupNorm(2, 4), {2, 4, 3});
  check(nn::BatchNorm1d(3), {4, 3});
  check(nn::BatchNorm2d(2), {2, 2, 2, 3});
  check(nn::InstanceNorm1d(2), {2, 2, 5});
  nn::BatchNorm2d evaluated(2);
  nn::eval(evaluated);
  check(evaluated, {2, 2, 2, 3});
}

TEST_CASE("gradients: pools have those of differences") {
  random::manual_seed(7);
  check(nn::MaxPool1d(2), {2, 2, 6});
  check(nn::MaxPool2d(3, {.stride = 2, .padding = 1}), {1, 2, 5, 5});
  check(nn::MaxPool2d({5, 4}, {.stride = {3, 2}, .padding = {2, 1}}), {1, 2, 7, 6});
  check(nn::MaxPool2d(2, {.stride = 2, .padding = 1, .dilation = 2}), {1, 1, 6, 5});
  check(nn::MaxPool2d(2, {.stride = 3}), {1, 2, 7, 5});
  check(nn::AvgPool2d(2), {1, 2, 4, 5});
  check(nn::AvgPool2d(3, {.stride = 2, .padding = 1, .count_include_pad = false}), {1, 2, 5, 4});
  check(nn::AvgPool1d(5, {.stride = 2, .padding = 2, .ceil_mode = true}), {1, 2, 6});
  check(nn::AdaptiveAvgPool2d(2), {1, 2, 3, 5});
  check(nn::AdaptiveMaxPool1d(2), {1, 2, 5});
}
