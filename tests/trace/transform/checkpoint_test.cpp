// test: moved
#include "testing.hpp"

#include <sinter/nn/linear.hpp>
#include <sinter/trace/ops/creation/random.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/index/index.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>
#include <sinter/trace/transform/checkpoint.hpp>
#include <sinter/trace/transform/grad.hpp>
#include <sinter/trace/transform/vmap.hpp>

using namespace testing;

namespace {

Tensor twice_sin(const Tensor& x) { return sin(sin(x) * 2.0f); }

}  // namespace

TEST_CASE("checkpoint: values and gradients are those of the function") {
  const Tensor x = vector({1, 2, 3});
  const auto loss = [](const Tensor& v) { return sum(twice_sin(v) * v); };
  const auto less = [](const Tensor& v) { return sum(checkpoint(twice_sin)(v) * v); };
  CHECK(alike(checkpoint(twice_sin)(x), twice_sin(x)));
  CHECK(alike(grad(less)(x), grad(loss)(x)));
  const auto slope = [](auto f) { return [f](const Tensor& v) { return sum(grad(f)(v)); }; };
  CHECK(alike(grad(slope(less))(x), grad(slope(loss))(x), 1e-5));
}

TEST_CASE("checkpoint: gradients flow to captured tensors and members of modules") {
  const nn::Linear layer(3, 2);
  const Tensor w = vector({2, -1}), x = vector({1, 2, 3});
  const auto loss = [&](const nn::Linear& l, const Tensor& v, bool keep) {
    const auto f = [&](const nn::Linear& m) { return sin(m(x) * v); };
    return sum(keep ? f(l) : checkpoint(f)(l));
  };
  const auto of_layer = [&](bool keep) {
    return grad([&](const nn::Linear& l) { return loss(l, w, keep); })(layer);
  };
  CHECK(alike(of_layer(false).weight, of_layer(true).weight));
  const auto of_captured = [&](bool keep) {
    return grad([&](const Tensor& v) { return loss(layer, v, keep); })(w);
  };
  CHECK(alike(of_captured(false), of_captured(true)));
}

TEST_CASE("checkpoint: random numbers are the same again") {
  const auto noisy = [](const Tensor& v) { return v * rand({4}); };
  const auto both = value_and_grad([&](const Tensor& v) { return sum(checkpoint(noisy)(v)); });
  const auto found = both(ones({4}));
  CHECK(alike(sum(found.gradient), found.value));
}

TEST_CASE("checkpoint: several results, some of them integers, and not a number") {
  const auto f = [](const Tensor& v) { return std::tuple{v * v, argmax(v), exp(v)}; };
  const auto loss = [&](const Tensor& v) {
    const auto [square, at, power] = checkpoint(f)(v);
    return sum(square) + power[at];
  };
  CHECK(near(grad(loss)(vector({1, 2})), {2, 4 + std::exp(2.0)}));
  CHECK(near(grad(loss)(vector({not_a_number, 2})), {not_a_number, 4}));
  CHECK(numbers(grad([&](const Tensor& v) { return sum(checkpoint(twice_sin)(v)); })(zeros({0})))
            .empty());
}

TEST_CASE("checkpoint: state that the function assigns is kept, as that of the function is") {
  const Tensor x = vector({1, 2, 3});
  struct Found {
    Tensor state = ones({3}), gradient;
  };
  const auto run = [&](bool keep) {
    Found found;
    const auto f = [&](const Tensor& v) {
      found.state += sin(v) * 2.0f;
      return found.state * v;
    };
    const auto g = [&](const Tensor& v) { return keep ? f(v) : checkpoint(f)(v); };
    found.gradient = grad([&](const Tensor& v) { return sum(g(g(v) + 1.0f)); })(x);
    return found;
  };
  const Found kept = run(true), again = run(false);
  CHECK(alike(again.state, kept.state));
  CHECK(alike(again.gradient, kept.gradient, 1e-5));
}

TEST_CASE("checkpoint: in batches") {
  const Tensor x = counting({2, 3});
  const auto loss = [](const Tensor& v) { return sum(checkpoint(twice_sin)(v)); };
  const auto plain = [](const Tensor& v) { return sum(twice_sin(v)); };
  CHECK(alike(vmap(grad(loss))(x), vmap(grad(plain))(x)));
}
