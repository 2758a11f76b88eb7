#include <doctest/doctest.h>

#include <atomic>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <sinter/sinter.hpp>

#include "captured_output.hpp"

using namespace sinter;

namespace {

struct ObservedBlock {
  nn::Linear up{4, 6}, down{6, 4};
  nn::LayerNorm norm{4};
  SINTER_MODULE(ObservedBlock, up, down, norm)
  Tensor forward(const Tensor& x) const { return norm(down(observe(relu(up(x)), "hidden")) + x); }
};

struct ObservedNet {
  std::vector<ObservedBlock> layers = std::vector<ObservedBlock>(2);
  nn::BatchNorm1d bn{4};
  nn::Linear head{4, 2};
  SINTER_MODULE(ObservedNet, layers, bn, head)
  Tensor forward(Operand x) {
    Tensor h = x.tensor();
    for (const ObservedBlock& block : layers) h = block(h);
    return head(bn(h));
  }
};

using Seen = std::vector<std::pair<std::string, std::vector<float>>>;

auto into(Seen& seen) {
  return [&seen](std::string_view name, const Tensor& value) {
    seen.emplace_back(name, value.to_vector<float>());
  };
}

}  // namespace

TEST_CASE("observe: shows values by path and by name in each call, without a graph break") {
  ObservedNet net;
  nn::eval(net);
  auto f = compile(net, {.fullgraph = true});
  const Tensor x = randn({3, 4}), other = randn({3, 4});
  const std::vector<float> expected = f(x).to_vector<float>();
  Seen norms, hidden, head;
  {
    const auto a = observe(f, "layers.*.norm", into(norms));
    const auto b = observe(f, "hidden", into(hidden));
    const auto c = observe(f, "head", into(head));
    CHECK(f(x).to_vector<float>() == expected);
    CHECK(head.at(0).second == expected);
    const std::vector<float> found = f(other).to_vector<float>();
    CHECK(found == head.at(1).second);
  }
  f(x);
  REQUIRE(norms.size() == 4);
  CHECK(norms[0].first == "layers.0.norm");
  CHECK(norms[1].first == "layers.1.norm");
  const ObservedBlock& first = net.layers[0];
  const std::vector<float> known = first(x).to_vector<float>();
  for (std::size_t i = 0; i < known.size(); ++i) {
    CHECK(norms[0].second[i] == doctest::Approx(known[i]).epsilon(1e-4));
  }
  REQUIRE(hidden.size() == 4);
  CHECK(hidden[3].first == "layers.1.hidden");
  CHECK(hidden[3].second.size() == 18);
  CHECK(head.size() == 2);
  CHECK(f.stats().recordings == 1);
  CHECK(f.stats().calls == 2);
}

TEST_CASE("observe: shows the result of a module whose last operation is on its state") {
  ObservedNet net;
  auto f = compile(net);
  Seen seen;
  const auto seeing = observe(f, "bn", into(seen));
  f(randn({8, 4}));
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].second.size() == 32);
}

TEST_CASE("observe: in a training step the values are those of the forward pass") {
  ObservedNet net;
  optim::SGD sgd{.learning_rate = 0.1};
  auto step = compile([](ObservedNet& model, optim::SGD& optimizer, const Tensor& x) {
    auto [loss, gradients] =
        value_and_grad(model, [&] { return observe(mean(square(model(x))), "loss"); });
    optimizer.step(model, gradients);
    return loss;
  });
  Seen seen;
  const auto seeing = observe(step, "loss", into(seen));
  const Tensor x = randn({8, 4});
  for (int i = 0; i < 3; ++i) {
    const float loss = step(net, sgd, x).item<float>();
    REQUIRE(seen.size() == static_cast<std::size_t>(i) + 1);
    CHECK(seen.back().second.at(0) == loss);
  }
  CHECK(seen[2].second[0] < seen[0].second[0]);
}

TEST_CASE("observe: a step of a scan is a call each, and a function with captures is seen too") {
  const float factor = 2;
  auto f = compile([factor](const Tensor& xs) {
    const auto add = [factor](const Tensor& c, const Tensor& x) {
      const Tensor sum = observe(c + factor * x, "carry");
      return std::pair(sum, sum);
    };
    return std::get<0>(scan(add, zeros({}), xs));
  });
  Seen seen;
  const auto seeing = observe(f, "carry", into(seen));
  for (int call = 0; call < 2; ++call) {
    seen.clear();
    CHECK(f(from_vector(std::vector<float>{1, 2, 3}, {3})).item<float>() == 12);
    REQUIRE(seen.size() == 3);
    CHECK(seen[0].second[0] == 2);
    CHECK(seen[1].second[0] == 6);
    CHECK(seen[2].second[0] == 12);
  }
}

TEST_CASE("observe: a value of a branch or loop is seen each time that it is computed") {
  auto f = compile([](const Tensor& x) {
    const Tensor y = cond(
        sum(x) > 0, [](const Tensor& v) { return observe(v * 2.0f, "positive"); },
        [](const Tensor& v) { return observe(-v, "negative"); }, x);
    return while_loop([](const Tensor& v) { return observe(sum(v), "sum") < 10.0f; },
                      [](const Tensor& v) { return observe(v * 2.0f, "doubled"); }, y);
  });
  const Tensor x = from_vector(std::vector<float>{1, 2}, {2});
  const std::vector<float> expected = f(x).to_vector<float>();
  const Seen loop{{"sum", {6}}, {"doubled", {4, 8}}, {"sum", {12}}};
  for (int i = 0; i < 2; ++i) {
    Seen values;
    const auto seeing = observe(f, "*", into(values));
    CHECK(f(x).to_vector<float>() == expected);
    Seen wanted = loop;
    wanted.insert(wanted.begin(), {"positive", {2, 4}});
    CHECK(values == wanted);
    values.clear();
    CHECK(f(x * -2.0f).to_vector<float>() == expected);
    wanted[0] = {"negative", {2, 4}};
    CHECK(values == wanted);
  }
  CHECK(f(x).to_vector<float>() == expected);
}

TEST_CASE("observe: modules in branches are seen by their path, and training changes nothing") {
  ObservedNet net;
  auto step = compile([](ObservedNet& model, optim::SGD& optimizer, const Tensor& x) {
    auto [loss, gradients] = value_and_grad(model, [&] {
      const ObservedBlock& block = model.layers[0];
      const Tensor y = cond(
          sum(x) > 0, [&](const Tensor& v) { return block(v); }, [](const Tensor& v) { return v; },
          x);
      return mean(square(y));
    });
    optimizer.step(model, gradients);
    return loss;
  });
  optim::SGD sgd{.learning_rate = 0.1};
  Seen seen;
  const auto seeing = observe(step, "layers.0*", into(seen));
  step(net, sgd, ones({3, 4}));
  CHECK(seen.size() == 5);
  step(net, sgd, -ones({3, 4}));
  CHECK(seen.size() == 5);
}

TEST_CASE("observe: what the function throws arrives, and the state is as before") {
  ObservedNet net;
  auto f = compile(net);
  const Tensor x = randn({8, 4});
  f(x);
  const std::vector<float> before = net.bn.running_mean->value.to_vector<float>();
  {
    const auto seeing = observe(
        f, "head", [](std::string_view, const Tensor&) { throw std::runtime_error("mine"); });
    CHECK_THROWS_WITH_AS(f(x), "mine", std::runtime_error);
    CHECK(net.bn.running_mean->value.to_vector<float>() == before);
  }
  f(x);
  CHECK(net.bn.running_mean->value.to_vector<float>() != before);
}

TEST_CASE("observe: a function that calls what it observes is an error, with the line") {
  ObservedNet net;
  nn::eval(net);
  const auto f = compile(std::as_const(net).layers[0]);
  const Tensor x = ones({3, 4});
  const auto seeing = observe(f, "norm", [&](std::string_view, const Tensor&) { f(x); });
  CHECK_THROWS_WITH_AS(f(x), doctest::Contains("compute with the value"), ValueError);
  CHECK_THROWS_WITH_AS(f(x), doctest::Contains("observe_test.cpp"), ValueError);
}

TEST_CASE("observe: threads call it one at a time, and it may end meanwhile") {
  ObservedNet net;
  nn::eval(net);
  const auto f = compile(std::as_const(net).layers[0]);
  std::atomic<int> inside{0}, together{0}, calls{0};
  auto seeing = observe(f, "*", [&](std::string_view, const Tensor&) {
    if (inside++ != 0) ++together;
    ++calls;
    --inside;
  });
  std::atomic<bool> ended{false};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      const Tensor x = randn({3, 4});
      while (!ended) f(x);
    });
  }
  while (calls < 200) std::this_thread::yield();
  seeing.stop();
  const int at_end = calls;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  ended = true;
  for (std::thread& thread : threads) thread.join();
  CHECK(calls == at_end);
  CHECK(together == 0);
}

TEST_CASE("observe: a pattern that no value fits is a warning with the names") {
  ObservedNet net;
  auto f = compile(net);
  const std::string said = testing::said([&] {
    const auto seeing = observe(f, "layer.*", [](std::string_view, const Tensor&) {});
    f(randn({3, 4}));
    f(randn({3, 4}));
  });
  CHECK(said.find("observe_test.cpp") != std::string::npos);
  CHECK(said.find("no value of the function fits \"layer.*\"; there are bn, head, layers.0") !=
        std::string::npos);
  CHECK(said.find("fits", said.find("fits") + 4) == std::string::npos);
}
