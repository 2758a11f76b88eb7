// test: moved
// Promise 2: operators validate and record at once; they give one kind of handle; equal nodes are
// one node.

#include <doctest/doctest.h>

#include <concepts>
#include <functional>
#include <map>

#include "promises/promises.hpp"

using namespace testing;

namespace {

using Program = Tensor (*)(const Tensor&, const Tensor&);

struct Mistake {
  Program program;
  unsigned line;
};

// Mistakes of every kind, with their lines.
const std::vector<Mistake> mistakes{
    // clang-format off
    {[](const Tensor& a, const Tensor& b) { return a + b; }, __LINE__},
    {[](const Tensor& a, const Tensor& b) { return matmul(a, b); }, __LINE__},
    {[](const Tensor& a, const Tensor&) { return reshape(a, {5, 5}); }, __LINE__},
    {[](const Tensor& a, const Tensor&) { return sum(a, {2}); }, __LINE__},
    {[](const Tensor& a, const Tensor&) { return a & a; }, __LINE__},
    {[](const Tensor& a, const Tensor& b) { return where(a > 0, a, b); }, __LINE__},
    {[](const Tensor& a, const Tensor&) { return a[{0, 9}]; }, __LINE__},
    {[](const Tensor& a, const Tensor&) { return a + Tensor(); }, __LINE__},
    // clang-format on
};

std::string mistake_of(const std::function<void()>& body) {
  return message_of<UserError>([&] { body(); });
}

std::int64_t operations(const auto& compiled) { return compiled.explain().graphs.at(0).operations; }

}  // namespace

TEST_CASE("promise 2.2: a mistake is thrown where it is written, before anything is computed") {
  const Tensor a = randn({3, 4}), b = randn({5, 4});
  bool reached = false;
  try {
    const Tensor c = a + 1.0f;
    const Tensor d = c + b;
    reached = true;
  } catch (const ShapeError& error) {
    CHECK(error.where().line() == __LINE__ - 3);
    CHECK(std::string(error.where().file_name()) == __FILE__);
  }
  CHECK_FALSE(reached);
}

TEST_CASE("promise 2.2: mistakes have the same text compiled or not, with the user's line") {
  const Tensor a = randn({3, 4}), b = randn({5, 4});
  for (const Mistake& mistake : mistakes) {
    const std::string eager = mistake_of([&] { mistake.program(a, b); });
    INFO(eager);
    for (const Backend backend : {Backend::fused, Backend::aot_eager, Backend::eager}) {
      const auto f = compile(mistake.program, {.backend = backend});
      CHECK(mistake_of([&] { f(a, b); }) == eager);
    }
    CHECK(contains(eager, text("promise_02_operators_test.cpp:", mistake.line)));
    CHECK(contains(eager, "\n  rule  "));
    CHECK(contains(eager, "\n  fix   "));
  }
}

TEST_CASE("promise 2.2: a mistake in a call that marks sizes names them as numbers") {
  const auto f = compile([](const Tensor& a, const Tensor& b) { return matmul(a, b); });
  const Tensor a = marked(randn({3, 4})), b = marked(randn({5, 4}), 1);
  const std::string eager = mistake_of([&] { matmul(a, b); });
  const std::string recorded = mistake_of([&] { f(a, b); });
  CHECK(contains(eager, "f32[3, 4]"));
  CHECK(contains(recorded, "f32[3, 4]"));
  CHECK(contains(recorded, "f32[5, 4]"));
}

TEST_CASE("promise 2.2: untyped operators return Tensor") {
  const Tensor x = ones({2}), flag = x > 0.0f;
  const auto gives = [](auto&& value) { return std::same_as<decltype(value), Tensor&&>; };
  CHECK(gives(x + x));
  CHECK(gives(x * 2));
  CHECK(gives(2.0 / x));
  CHECK(gives(-x));
  CHECK(gives(x % 2.0f));
  CHECK(gives(x < x));
  CHECK(gives(x == 1));
  CHECK(gives(flag & flag));
  CHECK(gives(~flag));
  CHECK(gives(exp(x) + Scalar(2)));
  CHECK(gives(x[0]));
  CHECK(gives(sum(x)));
}

TEST_CASE("promise 2.2: auto, ?:, containers and loops behave") {
  const auto program = [](const Tensor& x, bool negate) {
    const auto y = negate ? -x : x * 2.0f;
    std::map<std::string, Tensor> table{{"a", y + 1.0f}, {"b", y}};
    table["c"] = table.at("a") * table.at("b");
    auto total = zeros_like(x);
    for (const auto& [name, value] : table) total += value;
    for (int i = 0; i < 3; ++i) total = total + y;
    std::swap(table["a"], total);
    return table["a"];
  };
  const auto f = compile(program);
  const Tensor x = vector({1, 2, 3});
  CHECK(near(program(x, false), {17, 41, 73}));
  for (const bool negate : {false, true}) CHECK(near_tensor(f(x, negate), program(x, negate)));
}

TEST_CASE("promise 2.2: an expression outlives its operands") {
  const auto make = [] {
    const Tensor local = vector({1, 2, 3});
    const auto shifted = local + 1.0f;
    return shifted * local;
  };
  const auto result = make();
  CHECK(near(result, {2, 6, 12}));
}

TEST_CASE("promise 2.2: recording twice gives the same node") {
  const auto once = compile([](const Tensor& x) {
    const Tensor y = tanh(sin(x) + 1.0f);
    return y * y;
  });
  const auto twice =
      compile([](const Tensor& x) { return tanh(sin(x) + 1.0f) * tanh(sin(x) + 1.0f); });
  const Tensor x = vector({1, 2});
  CHECK(near_tensor(twice(x), once(x)));
  CHECK(operations(twice) == operations(once));
  CHECK(count(twice.explain().graphs.at(0).text, "= sin") == 1);
}

TEST_CASE("promise 2.2: nodes that differ in anything stay apart") {
  const auto f = compile([](const Tensor& x) {
    return std::vector<Tensor>{sum(x, 0), sum(x, 1), sum(x, 1, true), x + 1.0f,
                               x + 2.0f,  1.0f - x,  x - 1.0f,        x.to(f16).to(f32)};
  });
  const std::vector<Tensor> found = f(tensor({1, 2, 3, 4}, {2, 2}));
  CHECK(near(found[0], {4, 6}));
  CHECK(near(found[1], {3, 7}));
  CHECK(found[2].ndim() == 2);
  CHECK(near(found[4], {3, 4, 5, 6}));
  CHECK(near(found[5], {0, -1, -2, -3}));
  CHECK(near(found[6], {0, 1, 2, 3}));
}

TEST_CASE("promise 2.2: reading a shape or dtype computes nothing and is no break") {
  const auto f = compile(
      [](const Tensor& x) {
        const Tensor y = exp(x);
        const bool wide = y.ndim() == 2 && y.dtype() == f32 && y.device() == x.device();
        return wide ? y * static_cast<float>(y.size(1).value()) : y;
      },
      {.fullgraph = true});
  CHECK(is(f(zeros({2, 3})), 3));
  CHECK(f.stats().breaks == 0);
}
