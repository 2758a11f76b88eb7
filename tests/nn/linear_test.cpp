// test: moved
#include "trace/testing.hpp"

#include <sinter/nn/linear.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/module/parameter.hpp>

using namespace testing;

namespace {

struct Layer {
  nn::Linear first{10, 10}, second{10, 10};
  SINTER_MODULE(Layer, first, second)
};

struct Model {
  nn::Linear linear{10, 10};
  std::vector<Layer> layers;
  SINTER_MODULE(Model, linear, layers)
};

}  // namespace

TEST_CASE("Linear: is weight and bias in the shapes of torch") {
  const nn::Linear layer{3, 2};
  CHECK(to_string(layer.weight) == "f32[2, 3]");
  CHECK(to_string(layer.bias.value()) == "f32[2]");
  CHECK(nn::parameter_count(layer) == 8);
}

TEST_CASE("Linear: is an affine map of the last axis") {
  nn::Linear layer{3, 2};
  layer.weight = tensor({1, 0, 0, 0, 1, 1}, {2, 3});
  layer.bias = vector({10, 20});
  CHECK(near(layer(tensor({1, 2, 3, 4, 5, 6}, {2, 3})), {11, 25, 14, 31}));
  CHECK(to_string(layer(ones({5, 4, 3}))) == "f32[5, 4, 2]");
}

TEST_CASE("Linear: without a bias has one parameter") {
  const nn::Linear layer{3, 2, {.bias = false}};
  CHECK_FALSE(layer.bias.has_value());
  CHECK(nn::named_parameters(layer).size() == 1);
  CHECK(near(layer(zeros({1, 3})), {0, 0}));
}

TEST_CASE("Linear: makes modules that are made of it") {
  const Model model{.linear = {10, 4}, .layers = std::vector<Layer>(3)};
  CHECK(to_string(model.linear.weight) == "f32[4, 10]");
  CHECK(nn::parameter_count(model) == 44 + 6 * 110);
  CHECK(nn::named_parameters(model).back().first == "layers.2.second.bias");
  CHECK(numbers(model.layers[0].first.weight) != numbers(model.layers[1].first.weight));
}

TEST_CASE("Linear: mistakes name the line of the caller") {
  const nn::Linear layer{3, 2};
  MISTAKE(ShapeError, layer(ones({4, 5})), "linear: ", "f32[4, 5]", "f32[2, 3]");
  MISTAKE(ValueError, layer(Tensor()), "undefined");
}

TEST_CASE("Linear: a mistake in a recording names the layer") {
  const Model model{.linear = {10, 4}, .layers = std::vector<Layer>(3)};
  Recorder recorder;
  const RecorderScope scope(&recorder);
  const nn::Linear& layer = model.layers[2].second;
  recorder.name_module(&layer, &sinter::detail::type_tag<nn::Linear>, "model.layers.2.second");
  const Tensor x = recorder.placeholder({f32, {4, 5}});
  MISTAKE(ShapeError, layer(x), "\n  in    model.layers.2.second", "f32[4, 5]", "f32[10, 10]");
}
