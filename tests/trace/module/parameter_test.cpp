// test: moved
#include "testing.hpp"

#include <sinter/trace/module/parameter.hpp>
#include <sinter/trace/ops/typed/tensor.hpp>

#include <array>
#include <map>
#include <optional>

using namespace testing;

namespace {

struct Layer {
  Tensor weight = ones({2, 3});
  std::optional<Tensor> bias;
  SINTER_MODULE(Layer, weight, bias)
};

struct Model {
  Layer first;
  std::vector<Layer> layers{Layer(), Layer{.bias = ones({2})}};
  std::map<std::string, Tensor> named{{"b", ones({1})}, {"a", ones({1})}};
  std::array<Tensor, 2> pair{ones({1}), Tensor()};
  std::optional<Layer> absent;
  TensorOf<float, 4> typed = ones({4});
  nn::Buffer running = ones({9});
  Scalar rate = 1;
  double factor = 2;
  SINTER_MODULE(Model, first, layers, named, pair, absent, typed, running, rate, factor)
};

std::vector<std::string> names_of(const auto& list) {
  std::vector<std::string> result;
  for (const auto& [name, tensor] : list) result.push_back(name);
  return result;
}

}  // namespace

TEST_CASE("named_parameters: are the tensors, by dotted name, in the order of the lists") {
  CHECK(text(names_of(nn::named_parameters(Model()))) ==
        "[first.weight, layers.0.weight, layers.1.weight, layers.1.bias, named.a, named.b, "
        "pair.0, typed]");
}

TEST_CASE("parameter_count: counts elements, not those of buffers") {
  CHECK(nn::parameter_count(Model()) == 3 * 6 + 2 + 2 + 1 + 4);
}

TEST_CASE("for_each_parameter: lets parameters be assigned, typed ones included") {
  Model model;
  nn::for_each_parameter(model, [](const std::string&, Tensor& parameter) {
    if (parameter.defined()) parameter = zeros_like(parameter);
  });
  CHECK(near(model.layers[1].weight, Numbers(6, 0)));
  CHECK(near(model.named.at("a"), {0}));
  CHECK(near(model.typed, {0, 0, 0, 0}));
}

TEST_CASE("named_buffers: are the tensors without a gradient, by dotted name") {
  CHECK(text(names_of(nn::named_buffers(Model()))) == "[running]");
}

TEST_CASE("for_each_buffer: lets buffers be assigned") {
  Model model;
  std::string names;
  nn::for_each_buffer(model, [&](const std::string& name, Tensor& buffer) {
    names += name;
    buffer = zeros({3});
  });
  CHECK(names == "running");
  CHECK(near(nn::named_buffers(model)[0].second, {0, 0, 0}));
}
