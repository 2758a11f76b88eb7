// Eager loops around a compiled model: caching of the operations in the loop, calls that may not
// compile, and background compilation.
#include <doctest/doctest.h>

#include <string>

#include <sinter/runtime/interpreter/interpret.hpp>
#include <sinter/sinter.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

struct Mlp {
  nn::Linear up{6, 16}, down{16, 3};
  SINTER_MODULE(Mlp, up, down)
  Tensor forward(const Tensor& x) const { return down(gelu(up(x))); }
};

bool near(const Tensor& a, const Tensor& b) { return max(abs(a - b)).item<float>() <= 1e-5; }

void check_near(const Gradients& found, const Gradients& expected) {
  REQUIRE(found.size() == expected.size());
  for (const auto& [name, gradient] : expected) {
    CAPTURE(name);
    CHECK(near(found[name], gradient));
  }
}

}  // namespace

TEST_CASE("eager loop: repeated operations between calls of the model are compiled") {
  Mlp net;
  auto model = compile(net, {.fullgraph = true});
  const Tensor x = randn({32, 6}), target = argmax(x, -1) % 3;
  evaluate(x), evaluate(target);
  const auto expected =
      value_and_grad(net, [&] { return cross_entropy(net(x), target); }).gradients;
  for (const auto& [name, gradient] : expected) evaluate(gradient);
  for (int i = 0; i < 5; ++i) {
    runtime::interpreter_is_forbidden() = i >= 2;
    auto [loss, gradients] = value_and_grad(net, [&] { return cross_entropy(model(x), target); });
    for (const auto& [name, gradient] : gradients) evaluate(gradient);
    evaluate(loss);
    runtime::interpreter_is_forbidden() = false;
    check_near(gradients, expected);
  }
}

TEST_CASE("eager loop: any operations may surround the model") {
  Mlp net;
  auto model = compile(net, {.fullgraph = true});
  const Tensor x = randn({32, 6});
  const auto loss_of = [&](auto& f, const Tensor& target, float factor) {
    const Tensor result = dropout(f(x), 0.25);
    const Tensor pull = mean(square(f(x) - detach(result * 2)));
    return cross_entropy(result, target) + factor * sum(square(net.up.weight)) + pull;
  };
  for (int i = 0; i < 5; ++i) {
    const Tensor target = argmax(randn({32, 3}), 1);
    const float factor = i < 3 ? 0.5f : 0.25f;
    random::manual_seed(5);
    auto found = value_and_grad(net, [&] { return loss_of(model, target, factor); });
    for (const auto& [name, gradient] : found.gradients) evaluate(gradient);
    random::manual_seed(5);
    auto expected = value_and_grad(net, [&] { return loss_of(net, target, factor); });
    CHECK(near(found.value, expected.value));
    check_near(found.gradients, expected.gradients);
  }
  const auto step = [&](const Tensor& target) {
    auto [loss, gradients] = value_and_grad(net, [&] { return cross_entropy(model(x), target); });
    gradients["up.weight"].to_vector<float>();
  };
  for (int i = 0; i < 3; ++i) step(zeros({32}, i64));
  CHECK_THROWS_AS(step(full({32}, std::int64_t{7})), IndexError);
  step(zeros({32}, i64));
}

TEST_CASE("eager loop: a frozen model compiles no new backward program") {
  Mlp net;
  auto model = compile(net, {.fullgraph = true});
  const Tensor x = randn({32, 6});
  const auto step = [&] {
    auto [loss, gradients] = value_and_grad(net, [&] { return sum(square(model(x))); });
    for (const auto& [name, gradient] : gradients) evaluate(gradient);
  };
  SUBCASE("after a step") {
    step();
    model.freeze();
    const Stats before = model.stats();
    for (int i = 0; i < 3; ++i) step();
    CHECK(model.stats().compiler_runs == before.compiler_runs);
    CHECK(model.stats().kernels_compiled == before.kernels_compiled);
  }
  SUBCASE("after a forward pass") {
    const auto found = value_and_grad(net, [&] { return sum(square(model(x[{Slice{0, 31}}]))); });
    model.freeze();
    CHECK_THROWS_AS(evaluate(found.gradients["up.weight"]), RecompileLimitError);
  }
}

TEST_CASE("eager loop: in background mode the first backward pass does not wait for the compiler") {
  Mlp net;
  auto model = compile(net, {.fullgraph = true, .background = true});
  const Tensor x = randn({48, 6});
  const auto gradient_of = [&](auto& f) {
    auto [loss, gradients] = value_and_grad(net, [&] { return mean(square(f(x)) * 1.75f); });
    evaluate(gradients["up.weight"]);
    return gradients["up.weight"];
  };
  const Tensor expected = gradient_of(net);
  for (int i = 0; i < 6; ++i) {
    CHECK(near(gradient_of(model), expected));
    if (i >= 2) wait_for_background();
  }
  runtime::interpreter_is_forbidden() = true;
  const Tensor compiled = gradient_of(model);
  runtime::interpreter_is_forbidden() = false;
  CHECK(near(compiled, expected));
}
