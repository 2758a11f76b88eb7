// test: moved
// Arguments change in every way between calls: each call reads the current values.

#include <doctest/doctest.h>

#include <map>
#include <optional>
#include <random>

#include "jit/support.hpp"
#include "moved.hpp"

using namespace testing;
using sinter_test::by_device;

namespace {

struct Layer {
  Tensor weight = ones({3});
  std::optional<Tensor> bias{};
  float factor = 1;
  SINTER_MODULE(Layer, weight, bias, factor)

  Tensor forward(const Tensor& x) const {
    const Tensor y = x * weight * factor;
    return bias ? y + *bias : y;
  }
};

struct Model {
  std::vector<Layer> layers{std::vector<Layer>(2)};
  std::map<std::string, Tensor> table{{"a", ones({3})}};
  Tensor total = zeros({3});
  Scalar rate = 1.0f;
  bool subtracts = false;
  SINTER_MODULE(Model, layers, table, total, rate, subtracts)

  Tensor forward(const Tensor& x) const {
    Tensor h = x;
    for (const Layer& layer : layers) h = layer(h);
    for (const auto& [name, value] : table) h += value;
    return (subtracts ? h - total : h + total) * rate;
  }
};

Tensor step(Model& model, const Tensor& x) {
  const Tensor result = model(x);
  model.total = model.total * 0.5f + mean(x, {0});
  if (model.subtracts) model.layers[0].weight *= 0.9f;
  return result;
}

// Changes `model` at random; the same seed changes equal models in the same way.
class Changer {
 public:
  explicit Changer(unsigned seed) : random_(seed) {}

  void change(Model& model, std::vector<Tensor>& held) {
    Layer& layer = model.layers[below(model.layers.size())];
    switch (below(12)) {
      case 0:
        layer.weight = value();
        break;
      case 1:
        std::swap(model.layers.front().weight, model.layers.back().weight);
        break;
      case 2:
        layer.factor = 0.5f + static_cast<float>(below(2));
        break;
      case 3:
        model.subtracts = !model.subtracts;
        break;
      case 4:
        held.push_back(layer.weight);
        break;
      case 5:
        held.push_back(model.total);
        break;
      case 6:
        held.clear();
        break;
      case 7:
        layer.bias = layer.bias ? std::nullopt : std::optional(value());
        break;
      case 8:
        model.layers.size() < 3 ? model.layers.push_back(layer) : model.layers.pop_back();
        break;
      case 9:
        model.table.count("b") != 0 ? model.table.erase("b") : (model.table["b"] = value(), 0);
        break;
      case 10:
        model.rate = 0.5f + static_cast<float>(below(4));
        break;
      default:
        model = Model(model);
        break;  // the same values elsewhere
    }
  }

  // Lvalues and temporaries, evaluated and not.
  Tensor input() {
    const Tensor x = value() + zeros({2 + static_cast<int>(below(3)), 3});
    if (below(2) == 0) elements_of(x);
    return x;
  }

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }
  Tensor value() {
    const float start = static_cast<float>(below(7));
    return vector({start, start / 2, 1 - start});
  }

  std::mt19937 random_;
};

}  // namespace

TEST_CASE("changed arguments: a model that changes between calls is always current") {
  const auto compiled = compile(step, {.recompile_limit = 1000});
  for (unsigned seed = 1; seed <= by_device(4u, 2u); ++seed) {
    Model model, expected_model;
    Changer changer(seed), same_changer(seed);
    std::vector<Tensor> held, expected_held;
    for (int call = 0; call < by_device(60, 12); ++call) {
      INFO("seed " << seed << ", call " << call);
      changer.change(model, held);
      same_changer.change(expected_model, expected_held);
      const Tensor x = changer.input();
      const Tensor found = compiled(model, x);
      const Tensor expected = step(expected_model, same_changer.input());
      REQUIRE(near_tensor(found, expected));
      REQUIRE(near_tensor(model.total, expected_model.total));
      for (std::size_t i = 0; i < held.size(); ++i) CHECK(near_tensor(held[i], expected_held[i]));
    }
  }
}

TEST_CASE("changed arguments: two functions alternately update one model") {
  const auto forward = compile([](Model& model, const Tensor& x) { return model(x); });
  const auto update = compile([](Model& model) {
    for (Layer& layer : model.layers) layer.weight = layer.weight * 2.0f;
  });
  Model model;
  const Tensor x = ones({2, 3});
  for (int i = 0; i < 6; ++i) {
    CHECK(near_tensor(forward(model, x), model(x)));
    update(model);
  }
  CHECK(near(model.layers[1].weight, {64, 64, 64}));
  CHECK(forward.stats().recordings == 1);
}

TEST_CASE("changed arguments: one compiled function serves several models") {
  const auto compiled = compile(step);
  std::vector<Model> models(3), expected(3);
  const Tensor x = ones({2, 3});
  for (int i = 0; i < 12; ++i) {
    const auto at = static_cast<std::size_t>(i * i % 3);
    CHECK(near_tensor(compiled(models[at], x), step(expected[at], x)));
  }
  CHECK(compiled.stats().recordings == 1);
}

TEST_CASE("changed arguments: reused memory is not mistaken for an earlier argument") {
  const auto compiled = compile(step);
  for (int i = 0; i < by_device(20, 4); ++i) {
    Model model;  // may have the address of the previous one, and so may its handles
    model.total = full({3}, static_cast<float>(i));
    Model expected = model;
    const Tensor x = full({2, 3}, static_cast<float>(i));
    CHECK(near_tensor(compiled(model, x), step(expected, x)));
  }
}
