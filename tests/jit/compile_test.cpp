// test: moved
#include <doctest/doctest.h>
#include <sinter/jit/compile.hpp>

#include <array>
#include <map>
#include <optional>

#include "jit/support.hpp"

using namespace testing;

namespace {

struct Net {
  Tensor weight = vector({1, 2});
  SINTER_MODULE(Net, weight)
  Tensor forward(const Tensor& x) const { return x * weight; }
};

struct ModuleHolder {
  Compiled<Net> inner = compile(Net());
  Tensor bias = vector({1, 1});
  SINTER_MODULE(ModuleHolder, inner, bias)
  Tensor forward(const Tensor& x) const { return inner(x) + bias; }
};

struct Both {
  Tensor sum, product;
  int rank = 0;
  SINTER_MODULE(Both, sum, product, rank)
};

Tensor doubled(const Tensor& x) { return x * 2.0f; }

}  // namespace

TEST_CASE("compile: functions, lambdas and modules can be compiled") {
  const Tensor x = vector({3, 4});
  CHECK(near(compile(doubled)(x), {6, 8}));
  CHECK(near(compile(&doubled)(x), {6, 8}));
  CHECK(near(compile([](const Tensor& v) { return v - 1.0f; })(x), {2, 3}));
  CHECK(near(compile(Net())(x), {3, 8}));
}

TEST_CASE("compile: an lvalue is kept by reference, anything else is owned") {
  Net net;
  const auto by_reference = compile(net);
  const auto owned = compile(Net(net));
  const Tensor x = vector({1, 1});
  CHECK(near(by_reference(x), {1, 2}));
  net.weight = vector({5, 6});
  CHECK(near(by_reference(x), {5, 6}));
  CHECK(near(owned(x), {1, 2}));
  CHECK(by_reference.stats().recompiles == 0);
}

TEST_CASE("compile: a signature is recorded once, for lvalues and rvalues together") {
  const auto f = compile([](const Tensor& a, Tensor b) { return a + b; });
  Tensor x = vector({1, 2});
  const Tensor y = vector({3, 4});
  CHECK(near(f(x, y), {4, 6}));
  CHECK(near(f(vector({1, 1}), x), {2, 3}));
  CHECK(near(f(y, vector({1, 1})), {4, 5}));
  CHECK(f.stats().recordings == 1);
  CHECK(f.stats().calls == 3);
}

TEST_CASE("compile: copies of a compiled function share compiled code") {
  const auto f = compile(doubled);
  const auto g = f;
  f(vector({1}));
  g(vector({2}));
  CHECK(f.stats().calls == 2);
  CHECK(g.stats().recordings == 1);
}

TEST_CASE("compile: results are tuples, arrays, maps, optionals, structs, numbers or nothing") {
  const auto f = compile([](const Tensor& v) {
    return std::make_tuple(v + 1.0f, 3, std::array<Tensor, 2>{v, v * 2.0f},
                           std::map<std::string, Tensor>{{"a", v - 1.0f}}, std::optional<Tensor>(v),
                           std::optional<Tensor>(), Both{sum(v), v * v, v.ndim()},
                           std::string("text"), Scalar(sum(v)));
  });
  for (const float start : {1.0f, 5.0f}) {
    const auto [next, three, pair, map, some, none, both, word, scalar] =
        f(vector({start, start + 1}));
    CHECK(near(next, {start + 1, start + 2}));
    CHECK(three == 3);
    CHECK(near(pair[1], {2 * start, 2 * start + 2}));
    CHECK(near(map.at("a"), {start - 1, start}));
    CHECK(near(some.value(), {start, start + 1}));
    CHECK_FALSE(none.has_value());
    CHECK(near(both.sum, {2 * start + 1}));
    CHECK(near(both.product, {start * start, (start + 1) * (start + 1)}));
    CHECK(both.rank == 1);
    CHECK(word == "text");
    CHECK(scalar.item<float>() == 2 * start + 1);
  }
  CHECK(f.stats().recordings == 1);
}

TEST_CASE("compile: an argument that is a result is passed through, as often as it is returned") {
  const auto f = compile([](const Tensor& v) {
    return std::array<Tensor, 4>{v, reshape(v, {3, 2}), v, reshape(v, {6})};
  });
  for (const float start : {0.0f, 10.0f}) {
    const Tensor x = counting({2, 3}) + start;
    const auto results = f(x);
    for (const Tensor& result : results) CHECK(near(result, numbers(x)));
    CHECK(results[1].ndim() == 2);
    CHECK(results[3].ndim() == 1);
  }
}

TEST_CASE("compile: equal results do not share memory") {
  const auto f = compile([](const Tensor& v) {
    const Tensor w = v * 2.0f;
    return std::array<Tensor, 3>{w, w, reshape(w, {2, 1})};
  });
  auto results = f(vector({1, 2}));
  const auto add = compile([](Tensor& x) { x += 1.0f; });
  add(results[0]);
  CHECK(near(results[0], {3, 5}));
  CHECK(near(results[1], {2, 4}));
  CHECK(near(results[2], {2, 4}));
}

TEST_CASE("compile: a compiled function called in another is inlined into its recording") {
  const auto inner = compile(doubled);
  static const auto* shared = &inner;
  const auto outer = compile([](const Tensor& x) { return (*shared)(x) + 1.0f; });
  CHECK(near(outer(vector({1, 2})), {3, 5}));
  CHECK(inner.stats().calls == 0);
  const auto holder = compile(ModuleHolder());
  CHECK(near(holder(vector({1, 2})), {2, 5}));
  CHECK(holder.stats().kernels == 1);
}

TEST_CASE("compile: gradients of functions are compiled as functions") {
  const auto cube = [](const Tensor& x) { return sum(x * x * x); };
  const auto f = compile(grad(cube));
  const Tensor x = vector({1, 2, 3});
  CHECK(near(f(x), {3, 12, 27}));
  CHECK(near(f(vector({2, 2, 2})), {12, 12, 12}));
  CHECK(f.stats().recordings == 1);
  CHECK(near(grad(compile(cube))(x), {3, 12, 27}));
  const auto both = compile(value_and_grad(cube));
  const auto [value, gradient] = both(x);
  CHECK(near(value, {36}));
  CHECK(near(gradient, {3, 12, 27}));
}

TEST_CASE("compile: gradients of a module are a result, by name") {
  Net net;
  const auto f = compile([](Net& model, const Tensor& x) {
    return value_and_grad(model, [&] { return sum(square(model(x))); });
  });
  for (int again = 0; again < 2; ++again) {
    const auto [value, gradients] = f(net, vector({3, 4}));
    CHECK(near(value, {73}));
    CHECK(near(gradients["weight"], {18, 64}));
  }
  CHECK(near(net.weight, {1, 2}));
}

TEST_CASE(
    "compile: a callable with captures is traced on every call and sees their current values") {
  Tensor shift = vector({1});
  const auto f = compile([&](const Tensor& x) { return x + shift; });
  CHECK(near(f(vector({1})), {2}));
  shift = vector({5});
  CHECK(near(f(vector({1})), {6}));
  CHECK(f.stats().recordings == 2);
  CHECK(f.stats().recompiles == 0);
}

TEST_CASE("compile: captured tensors have their current values, also as results") {
  static Tensor outside;
  const auto read = compile([](const Tensor& x) { return x + outside; });
  const auto returned = compile([](const Tensor&) { return outside; });
  const auto assigned = compile([](Tensor& x) { x = outside; });
  for (int again = 0; again < 3; ++again) {
    outside = full({2}, static_cast<float>(again));
    Tensor x = vector({3, 4});
    CHECK(near(read(x), {3.0 + again, 4.0 + again}));
    CHECK(near(returned(x), Numbers(2, again)));
    CHECK(near(x, {3, 4}));
    assigned(x);
    CHECK(near(x, Numbers(2, again)));
  }
}

TEST_CASE("compile: elements that the function creates are captured") {
  const auto f = compile([](const Tensor& x) { return x + from_vector<float>({1, 2}, {2}); });
  CHECK(near(f(vector({1, 1})), {2, 3}));
  CHECK(near(f(vector({5, 5})), {6, 7}));
}

TEST_CASE("compile: an explanation is printed") {
  const auto f = compile(doubled);
  f(vector({1, 2}));
  const Explanation explanation = f.explain();
  REQUIRE(explanation.graphs.size() == 1);
  CHECK(explanation.graphs[0].operations == 1);
  REQUIRE(explanation.kernels.size() == 1);
  CHECK(explanation.kernels[0].bytes_read == 8);
  CHECK(explanation.kernels[0].lines.size() == 1);
  // Guards: the argument, autocast, the device, gradients, precision, the function.
  CHECK(explanation.guards.size() == 6);
  CHECK(explanation.recompiles.empty());
}

TEST_CASE("compile: a function that uses a global tensor sees its current value") {
  static Tensor global;
  global = ones({4});
  const auto counts =
      compile([](const Tensor& x) { return x * static_cast<float>(global.numel().value()); });
  const auto converts = compile([](const Tensor& x) { return x.to(global.dtype()); });
  const Tensor x = vector({1, 2});
  CHECK(near(counts(x), {4, 8}));
  CHECK(converts(x).dtype() == f32);
  global = ones({7}, f64);
  CHECK(near(counts(x), {7, 14}));
  CHECK(converts(x).dtype() == f64);
  global = Tensor();
}
