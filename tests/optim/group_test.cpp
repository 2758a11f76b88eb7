// test: moved
#include "../trace/testing.hpp"

#include <sinter/sinter.hpp>

using namespace testing;

namespace {

struct Net {
  nn::Linear encoder{2, 3}, head{3, 1};
  SINTER_MODULE(Net, encoder, head)
  Tensor forward(Operand x) const { return head(tanh(encoder(x))); }
};

Gradients ones_for(const Net& net) {
  Gradients gradients = zero_gradients(net);
  for (auto& [name, gradient] : gradients) gradient = ones_like(gradient);
  return gradients;
}

// By how much one element of each parameter decreases in a step with gradients of 1.
std::vector<double> decreases(optim::SGD sgd) {
  Net net, before = net;
  sgd.step(net, ones_for(net));
  const auto new_ones = nn::named_parameters(net), old_ones = nn::named_parameters(before);
  std::vector<double> result;
  for (std::size_t i = 0; i < new_ones.size(); ++i) {
    const double by = numbers(old_ones[i].second)[0] - numbers(new_ones[i].second)[0];
    result.push_back(std::round(by * 1000) / 1000);
  }
  return result;
}

}  // namespace

TEST_CASE("Selection: patterns, modules and functions of the name") {
  const auto selects = [](const optim::Selection& select, const char* name) {
    return select.selects(name);
  };
  CHECK(selects("encoder", "encoder.norm.weight"));
  CHECK(selects("encoder.norm.weight", "encoder.norm.weight"));
  CHECK(!selects("encoder", "encoders.weight"));
  CHECK(!selects("norm", "encoder.norm.weight"));
  CHECK(selects("*.norm", "encoder.norm.weight"));
  CHECK(selects("layers.?.bias", "layers.3.bias"));
  CHECK(!selects("layers.?.bias", "layers.13.bias"));
  CHECK(selects(std::string("*bias"), "bias"));
  const auto is_short = [](std::string_view name) { return name.size() < 5; };
  CHECK(selects(is_short, "bias"));
  CHECK(!selects(is_short, "weight"));
}

TEST_CASE("group: its parameters have its numbers, the others those of the optimizer") {
  const optim::SGD sgd{.learning_rate = 0.5f};
  CHECK(decreases(sgd) == std::vector<double>{0.5, 0.5, 0.5, 0.5});
  optim::SGD halves = sgd;
  halves.group("head", {.learning_rate = 0.25f});
  CHECK(decreases(halves) == std::vector<double>{0.5, 0.5, 0.25, 0.25});
  const auto is_bias = [](std::string_view name) { return name.ends_with("bias"); };
  CHECK(decreases(halves.group(is_bias, {.learning_rate = 2.0f})) ==
        std::vector<double>{0.5, 2, 0.25, 2});
}

TEST_CASE("group: each number is that of the last group that has it") {
  const auto sgd = optim::SGD{.learning_rate = 0.5f, .weight_decay = 0.5f}
                       .group("*.bias", {.weight_decay = 0.0f})
                       .group("head", {.learning_rate = 0.25f});
  Net net;
  auto updates = optim::updates_of(net, ones_for(net), "step", Where::current(), sgd.groups);
  REQUIRE(updates.size() == 4);
  CHECK(updates[0].groups == std::array{-1, -1});
  CHECK(updates[1].groups == std::array{-1, 0});
  CHECK(updates[2].groups == std::array{1, -1});
  CHECK(updates[3].groups == std::array{1, 0});
}

TEST_CASE("group: a compiled step takes new numbers without another recording") {
  Net net;
  auto optimizer = optim::AdamW{.learning_rate = 0.1f}
                       .group([](std::string_view name) { return name.starts_with("head"); },
                              {.learning_rate = 0.01f, .weight_decay = 0.0f})
                       .group("encoder.weight", {.weight_decay = 0.5});
  const auto step = compile([](Net& model, optim::AdamW& adam, const Tensor& x) {
    auto [loss, gradients] = value_and_grad(model, [&] { return mean(square(model(x))); });
    adam.step(model, gradients);
    return loss;
  });
  const Tensor x = counting({4, 2});
  for (int i = 0; i < 4; ++i) {
    optimizer.learning_rate = 0.1f / static_cast<float>(i + 1);
    optimizer.groups[0].learning_rate = 0.001 * (i + 1);
    optimizer.groups[1].weight_decay = 0.1 * i;
    step(net, optimizer, x);
  }
  CHECK(step.stats().recordings == 1);
  CHECK(step.stats().breaks == 0);

  const std::vector<double> head = numbers(net.head.weight);
  optimizer.groups[0].learning_rate = 0.0f;
  step(net, optimizer, x);
  CHECK(numbers(net.head.weight) == head);
}

TEST_CASE("group: one that selects no parameter is a mistake that names near ones") {
  Net net;
  auto sgd = optim::SGD().group("encodr", {.learning_rate = 0.1f});
  MISTAKE(ValueError, sgd.step(net, ones_for(net)), "SGD.step: ", "group \"encodr\"",
          "encoder.weight", "did you mean \"encoder\"?");
  auto adam = optim::Adam().group("head.wieght", {.learning_rate = 0.1f});
  MISTAKE(ValueError, adam.step(net, ones_for(net)), "did you mean \"head.weight\"?");
  auto lion = optim::Lion().group([](std::string_view) { return false; }, {.weight_decay = 0.1f});
  MISTAKE(ValueError, lion.step(net, ones_for(net)), "a function of the name");
}

TEST_CASE("group: a parameter without a gradient may be selected") {
  Net net;
  auto sgd = optim::SGD{.learning_rate = 0.5f}.group("encoder", {.learning_rate = 0.1f});
  sgd.step(net, Gradients({{"head.bias", ones({1})}}));
  CHECK(sgd.groups.size() == 1);
}
