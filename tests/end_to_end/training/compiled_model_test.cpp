// Only the model is compiled, and gradients are taken outside of compiled functions: the model runs
// as two programs, forward and backward.
#include <doctest/doctest.h>

#include <thread>
#include <vector>

#include <sinter/runtime/interpreter/interpret.hpp>
#include <sinter/sinter.hpp>

using namespace sinter;

namespace {

struct Mlp {
  nn::Linear up{6, 16}, down{16, 3};
  SINTER_MODULE(Mlp, up, down)
  Tensor forward(const Tensor& x) const { return down(gelu(up(x))); }
};

struct Normed {
  nn::Linear in{4, 8};
  nn::BatchNorm1d norm{8};
  nn::Dropout drop{0.5};
  nn::Linear out{8, 1};
  SINTER_MODULE(Normed, in, norm, drop, out)
  Tensor forward(const Tensor& x) { return out(drop(relu(norm(in(x))))); }
};

bool near(const Tensor& a, const Tensor& b, double tolerance = 1e-5) {
  return max(abs(a - b)).item<float>() <= tolerance;
}

void check_near(const Gradients& found, const Gradients& expected, double tolerance = 1e-5) {
  REQUIRE(found.size() == expected.size());
  for (const auto& [name, gradient] : expected) {
    CAPTURE(name);
    CHECK(near(found[name], gradient, tolerance));
  }
}

}  // namespace

TEST_CASE("an eager loop trains a compiled model with two programs") {
  Mlp compiled, plain;
  plain = compiled;
  auto model = compile(compiled, {.fullgraph = true});
  optim::AdamW first{.learning_rate = 1e-2f}, second{.learning_rate = 1e-2f};
  random::manual_seed(3);
  const Tensor x = randn({32, 6}), target = argmax(x, -1) % 3;
  for (int i = 0; i < 12; ++i) {
    auto [loss, gradients] =
        value_and_grad(compiled, [&] { return cross_entropy(model(x), target); });
    auto [expected, others] =
        value_and_grad(plain, [&] { return cross_entropy(plain(x), target); });
    CHECK(near(loss, expected));
    check_near(gradients, others);
    first.step(compiled, gradients);
    second.step(plain, others);
  }
  const Stats stats = model.stats();
  CHECK(stats.calls == 12);
  CHECK(stats.recordings == 1);
  CHECK(stats.eager_calls == 0);
  CHECK(stats.recompiles == 0);
  CHECK(stats.graphs == 2);
  CHECK(stats.kernels >= 3);
  CHECK(model.explain().graphs.size() == 2);
}

TEST_CASE("gradients of arguments, of part of the parameters and through several calls") {
  Mlp net;
  auto model = compile(net);
  const Tensor x = randn({7, 6}), y = randn({7, 6});
  const auto plain_loss = [&](const Tensor& v) { return sum(square(net(v))); };
  const auto loss = [&](const Tensor& v) { return sum(square(model(v))); };
  CHECK(near(grad(loss)(x), grad(plain_loss)(x)));
  CHECK(near(grad([&](const Tensor& v) { return sum(square(model(v * 2) - model(v))); })(x),
             grad([&](const Tensor& v) { return sum(square(net(v * 2) - net(v))); })(x)));
  const auto is_up = [](const std::string& name) { return name.starts_with("up"); };
  const auto both = [&](auto& f) { return sum(f(x) * f(y)); };
  const auto found = value_and_grad(
      net, [&] { return both(model); }, is_up);
  const auto expected = value_and_grad(
      net, [&] { return both(net); }, is_up);
  check_near(found.gradients, expected.gradients, 1e-4);
  const auto cut = [&](auto& f) { return sum(detach(f(x)) * f(y)); };
  check_near(value_and_grad(net, [&] { return cut(model); }).gradients,
             value_and_grad(net, [&] { return cut(net); }).gradients, 1e-4);
}

TEST_CASE("two compiled models in one loss") {
  Mlp a, b;
  nn::Linear head(3, 6);
  auto first = compile(a), second = compile(b);
  auto between = compile(head);
  const Tensor x = randn({4, 6});
  const auto found =
      grad([&](const Tensor& v) { return sum(square(second(between(first(v))))); })(x);
  const auto expected = grad([&](const Tensor& v) { return sum(square(b(head(a(v))))); })(x);
  CHECK(near(found, expected));
  CHECK(first.stats().calls == 1);
  CHECK(second.stats().graphs == 2);
}

TEST_CASE("derivatives of every order go through a compiled function") {
  auto f = compile([](const Tensor& x) { return sum(tanh(x) * x * x); });
  const auto plain = [](const Tensor& x) { return sum(tanh(x) * x * x); };
  const Tensor x = randn({5}), t = randn({5});
  CHECK(near(grad(f)(x), grad(plain)(x)));
  const auto second = [&](auto& g) {
    return grad([&](const Tensor& v) { return sum(grad(g)(v) * t); })(x);
  };
  CHECK(near(second(f), second(plain), 1e-4));
  const auto third = [&](auto& g) {
    return grad([&](const Tensor& u) {
      return sum(grad([&](const Tensor& v) { return sum(grad(g)(v) * t); })(u) * t);
    })(x);
  };
  CHECK(near(third(f), third(plain), 1e-3));
  CHECK(near(hessian(f)(x), hessian(plain)(x), 1e-4));
}

TEST_CASE("vjp and jvp of a compiled function") {
  auto f = compile([](const Tensor& x, const Tensor& w) { return sin(matmul(x, w)); });
  const auto plain = [](const Tensor& x, const Tensor& w) { return sin(matmul(x, w)); };
  const Tensor x = randn({3, 4}), w = randn({4, 2}), g = randn({3, 2}), t = randn({3, 4}),
               s = randn({4, 2});
  auto [value, pullback] = vjp(f, x, w);
  auto [expected, other] = vjp(plain, x, w);
  CHECK(near(value, expected));
  for (int i = 0; i < 2; ++i) {
    const auto [dx, dw] = pullback(g);
    const auto [ex, ew] = other(g);
    CHECK(near(dx, ex));
    CHECK(near(dw, ew));
  }
  const auto along = jvp(f, std::tuple{x, w}, std::tuple{t, s});
  const auto along_plain = jvp(plain, std::tuple{x, w}, std::tuple{t, s});
  CHECK(near(along.tangent, along_plain.tangent));
  CHECK(f.stats().eager_calls == 0);
  CHECK(f.stats().calls == 2);
}

TEST_CASE("running statistics and dropout of a compiled model in an eager loop") {
  Normed net;
  Normed plain = net;
  auto model = compile(net);
  const Tensor x = randn({16, 4});
  random::manual_seed(9);
  std::vector<Gradients> found, expected;
  for (int i = 0; i < 3; ++i) {
    found.push_back(value_and_grad(net, [&] { return mean(square(model(x))); }).gradients);
  }
  CHECK(model.stats().recordings == 1);
  CHECK(model.stats().eager_calls == 0);
  auto step = compile([](Normed& m, const Tensor& v) {
    return value_and_grad(m, [&] { return mean(square(m(v))); }).gradients;
  });
  random::manual_seed(9);
  for (int i = 0; i < 3; ++i) expected.push_back(step(plain, x));
  for (int i = 0; i < 3; ++i) check_near(found[i], expected[i]);
  CHECK(near(net.norm.running_mean->value, plain.norm.running_mean->value));
  CHECK(near(net.norm.running_var->value, plain.norm.running_var->value));
}

TEST_CASE("a marked batch is one recording with gradients too") {
  Mlp net;
  auto model = compile(net);
  for (const int n : {4, 9, 1, 30}) {
    Tensor x = randn({n, 6});
    mark_dynamic(x, 0);
    const auto found = value_and_grad(net, [&] { return sum(square(model(x))); });
    const auto expected = value_and_grad(net, [&] { return sum(square(net(x))); });
    check_near(found.gradients, expected.gradients, 1e-3);
  }
  CHECK(model.stats().recordings == 1);
  CHECK(model.stats().recompiles == 0);
}

TEST_CASE("captured parameters get gradients through a compiled lambda") {
  Mlp net;
  auto model = compile([&net](const Tensor& x) { return net(x); });
  const Tensor x = randn({8, 6});
  for (int i = 0; i < 3; ++i) {
    const auto found = value_and_grad(net, [&] { return sum(square(model(x))); });
    const auto expected = value_and_grad(net, [&] { return sum(square(net(x))); });
    check_near(found.gradients, expected.gradients, 1e-4);
  }
  CHECK(model.stats().calls == 3);
  CHECK(model.stats().eager_calls == 0);
  CHECK(model.stats().graphs == 2);
  CHECK(model.stats().variants == 1);
}

TEST_CASE("a graph break between two parts of a compiled model") {
  Mlp net;
  auto model = compile([](const Mlp& m, const Tensor& x) {
    const Tensor h = gelu(m.up(x));
    const float scale = sum(h).item<float>() > -1e30f ? 2.0f : 1.0f;
    return m.down(h) * scale;
  });
  const Tensor x = randn({8, 6});
  for (int i = 0; i < 2; ++i) {
    const auto found = value_and_grad(net, [&] { return sum(square(model(net, x))); });
    const auto expected = value_and_grad(net, [&] { return sum(square(net(x) * 2)); });
    check_near(found.gradients, expected.gradients, 1e-3);
  }
  CHECK(model.stats().breaks == 1);
  CHECK(model.stats().eager_calls == 0);
}

TEST_CASE("training and evaluation of a compiled model are two variants") {
  Mlp net;
  auto model = compile(net);
  const Tensor x = randn({8, 6});
  for (int i = 0; i < 3; ++i) {
    value_and_grad(net, [&] { return sum(model(x)); }).value.item<float>();
    CHECK(near(model(x), net(x)));
  }
  CHECK(model.stats().recordings == 2);
  // No gradient flows to the module here, so the call is an ordinary one.
  const Mlp other = net;
  auto fixed = compile(other);
  CHECK(near(grad([&](const Tensor& v) { return sum(v * detach(fixed(x))[0][0]); })(x),
             full({8, 6}, net(x)[0][0])));
}

TEST_CASE("results of a compiled model release saved values after the gradient") {
  Mlp net;
  auto model = compile(net);
  const Tensor x = randn({8, 6});
  Tensor kept;
  auto found = value_and_grad(net, [&] { return sum(square(kept = model(x))); });
  for (auto& [name, gradient] : found.gradients) gradient.to_vector<float>();
  CHECK(kept.lazy()->operands.empty());
  CHECK(near(kept, net(x)));
}

TEST_CASE("several threads compute gradients through one compiled model") {
  const Mlp net;
  auto model = compile(net);
  const Tensor x = randn({8, 6});
  const Tensor expected = grad([&](const Tensor& v) { return sum(square(net(v))); })(x);
  expected.to_vector<float>();
  std::vector<int> right(4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        const Tensor found = grad([&](const Tensor& v) { return sum(square(model(v))); })(x + 0);
        right[static_cast<std::size_t>(t)] += near(found, expected);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(right == std::vector<int>(4, 20));
  CHECK(model.stats().recordings == 1);
}

TEST_CASE("what a compiled function detaches has no gradient outside of it either") {
  const Tensor x = from_vector(std::vector<double>{1, 2}, {2});
  const auto check = [&](auto f) {
    auto compiled = compile(f);
    const auto twice = [&](auto& g) {
      return grad([&](const Tensor& v) { return sum(grad(g)(v) * v); })(x);
    };
    for (int i = 0; i < 3; ++i) CHECK(near(grad(compiled)(x), grad(f)(x)));
    for (int i = 0; i < 3; ++i) CHECK(near(twice(compiled), twice(f)));
  };
  check([](const Tensor& v) { return sum(v * detach(v)); });
  check([](const Tensor& v) { return sum(v + detach(round(v * 1.7) - v)); });
  check([](const Tensor& v) { return sum(log2(v) + log10(v)); });
  check([](const Tensor& v) {
    const Tensor y = exp(v);
    if (sum(y).item<float>() < 0) return sum(v);
    return sum(y * detach(y) * v);
  });
  const Tensor scale = x * 3;
  check([&](const Tensor& v) { return sum(v * detach(v * scale) * detach(scale)); });
}

TEST_CASE("a captured value and the same one detached are two inputs") {
  const Tensor x = from_vector(std::vector<float>{1, 2}, {2});
  Tensor p, q;
  const auto plain = [&](const Tensor& v) { return v * p * q; };
  auto compiled = compile(plain);
  const auto gradient = [&](auto& f, int first, int second) {
    return grad([&](const Tensor& v) {
      p = first ? detach(v) : v;
      q = second ? detach(v) : v;
      return sum(f(x));
    })(x);
  };
  for (const int which : {0, 1, 2, 3, 0, 1, 2, 3}) {
    CHECK(near(gradient(compiled, which % 2, which / 2), gradient(plain, which % 2, which / 2)));
  }
}
