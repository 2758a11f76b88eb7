#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include <sinter/sinter.hpp>
#include <sinter/trace/interop/on_gradient.hpp>

#include "message_of.hpp"

using namespace sinter;

namespace {

std::vector<float> last_gradient;
std::atomic<int> gradients_seen{0};

Tensor clipped_loss(const Tensor& x) {
  const auto clip = [](const Tensor& g) { return clamp(g, -1.0f, 1.0f); };
  return sum(square(on_gradient(x * 3.0f, clip)));
}

Tensor shown_loss(const Tensor& x) {
  const auto show = [](const Tensor& g) {
    last_gradient = g.to_vector<float>();
    ++gradients_seen;
  };
  return sum(square(on_gradient(x * 3.0f, show)));
}

Tensor input() { return from_vector(std::vector<float>{0.1f, 1, -2}, {3}); }

void check_near(const Tensor& found, std::vector<float> expected) {
  const std::vector<float> values = found.to_vector<float>();
  REQUIRE(values.size() == expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) CHECK(values[i] == doctest::Approx(expected[i]));
}

}  // namespace

TEST_CASE("on_gradient: a function of the gradient changes it, in the graph") {
  check_near(clipped_loss(input()), {45.09f});
  check_near(grad(clipped_loss)(input()), {1.8f, 3, -3});
  auto f = compile(grad(clipped_loss), {.fullgraph = true});
  for (int call = 0; call < 2; ++call) check_near(f(input()), {1.8f, 3, -3});
  CHECK(f.stats().recordings == 1);
}

TEST_CASE("on_gradient: a function without a result sees it in each replay") {
  gradients_seen = 0;
  check_near(shown_loss(input()), {45.09f});
  CHECK(gradients_seen == 0);
  check_near(grad(shown_loss)(input()), {1.8f, 18, -36});
  CHECK(gradients_seen == 1);
  auto f = compile(grad(shown_loss), {.fullgraph = true});
  for (int call = 0; call < 3; ++call) {
    last_gradient.clear();
    check_near(f(input() + static_cast<float>(call)),
               {18 * (0.1f + static_cast<float>(call)), 18 * (1 + static_cast<float>(call)),
                18 * (-2 + static_cast<float>(call))});
    REQUIRE(last_gradient.size() == 3);
    CHECK(last_gradient[1] == doctest::Approx(6 * (1 + call)));
  }
  CHECK(gradients_seen == 4);
  CHECK(f.stats().recordings == 1);
  CHECK(f.stats().graphs == 1);
  auto compiled = compile(shown_loss);
  check_near(grad(compiled)(input()), {1.8f, 18, -36});
  CHECK(gradients_seen == 5);
}

TEST_CASE("on_gradient: the gradient flows through to second derivatives") {
  const auto twice = [](const Tensor& x) { return sum(grad(shown_loss)(x)); };
  check_near(grad(twice)(input()), {18, 18, 18});
}

TEST_CASE("on_gradient: each step of a scan has its gradient") {
  static int steps;
  steps = 0;
  auto f = compile(grad([](const Tensor& xs) {
    const auto multiply = [](const Tensor& c, const Tensor& x) {
      const Tensor next = on_gradient(c * x, [](const Tensor&) { ++steps; });
      return std::pair(next, next);
    };
    return std::get<0>(scan(multiply, ones({}), xs));
  }));
  check_near(f(input()), {-2, -0.2f, 0.1f});
  CHECK(steps == 3);
}

TEST_CASE("on_gradient: captures that are references do not make another recording") {
  int seen = 0;
  auto f = compile([&seen](const Tensor& x) {
    const auto loss = [&seen](const Tensor& y) {
      return sum(on_gradient(y * y, [&seen](const Tensor&) { ++seen; }));
    };
    return grad(loss)(x);
  });
  for (int call = 0; call < 3; ++call) check_near(f(input()), {0.2f, 2, -4});
  CHECK(seen == 3);
  CHECK(f.stats().variants == 1);
}

TEST_CASE("on_gradient: in a training step of a module, from several threads") {
  static std::atomic<int> calls;
  calls = 0;
  auto gradient_of = compile([](const nn::Linear& layer, const Tensor& x) {
    const auto loss = [&](const Tensor& y) {
      return mean(square(on_gradient(layer(y), [](const Tensor& g) {
        if (g.shape()[0] == 8) ++calls;
      })));
    };
    return grad(loss)(x);
  });
  const nn::Linear layer(4, 3);
  const Tensor x = randn({8, 4});
  const std::vector<float> expected = gradient_of(layer, x).to_vector<float>();
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) wrong += gradient_of(layer, x).to_vector<float>() != expected;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(calls == 201);
}

TEST_CASE("on_gradient: what the function throws arrives at the caller, and the next call works") {
  static bool throws;
  throws = true;
  auto f = compile(grad([](const Tensor& x) {
    return sum(on_gradient(x * 2.0f, [](const Tensor&) {
      if (throws) throw std::runtime_error("mine");
    }));
  }));
  CHECK_THROWS_WITH_AS(f(input()), "mine", std::runtime_error);
  throws = false;
  check_near(f(input()), {2, 2, 2});
}

TEST_CASE("on_gradient: a gradient of another shape is an error with the line") {
  const auto loss = [](const Tensor& x) {
    return sum(on_gradient(x, [](const Tensor& g) { return sum(g); }));
  };
  const std::string message =
      errors::message_of<ShapeError>([&] { static_cast<void>(grad(loss)(input())); });
  CHECK(message.find("shapes differ") != std::string::npos);
  CHECK(message.find("on_gradient_test.cpp:") != std::string::npos);
}
