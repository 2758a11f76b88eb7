// test: moved
// Promise 10: a read on the host is a graph break: it is never silent, and nothing is lost.

#include <doctest/doctest.h>

#include "promises/promises.hpp"

using namespace testing;

namespace {

// Two graphs, with a read of the sum of `b` between them.
Tensor with_break(const Tensor& a, const Tensor& b) {
  const Tensor x = a / (abs(a) + 1.0f);
  if (sum(b) < 0.0f) return x * -b;
  return x * b;
}
constexpr unsigned line_of_break = __LINE__ - 3;

Tensor up() { return vector({1, 2, 3}); }
Tensor down() { return vector({-1, -2, -3}); }

// A read of every kind.
const std::vector<Tensor (*)(const Tensor&)> reads{
    [](const Tensor& x) { return x * sum(x).item<float>(); },
    [](const Tensor& x) { return x * (x + 1.0f).to_vector<float>().at(0); },
    [](const Tensor& x) { return x * *(x + 1.0f).data<float>(); },
    [](const Tensor& x) { return sum(x) > 0.0f ? x * 2.0f : x; },
    [](const Tensor& x) { return Scalar(sum(x)) ? x * 3.0f : x; },
};

}  // namespace

TEST_CASE("promise 2.10: every read on the host is a break, after which recording resumes") {
  for (const auto read : reads) {
    const auto f = compile(read);
    for (const Tensor& x : {up(), down(), up()}) CHECK(near_tensor(f(x), read(x)));
    CHECK(f.stats().breaks == 1);
    CHECK(f.stats().graphs == 2);
    CHECK(f.stats().eager_calls == 0);
  }
}

TEST_CASE("promise 2.10: explain names the break, its line and the way out") {
  const auto f = compile(with_break);
  CHECK(near_tensor(f(up(), down()), with_break(up(), down())));
  const Explanation explanation = f.explain();
  CHECK(explanation.graphs.size() == 2);
  REQUIRE(explanation.breaks.size() == 1);
  CHECK(explanation.breaks[0].where.line() == line_of_break);
  CHECK(contains(explanation.breaks[0].where.file_name(), "promise_10_breaks_test.cpp"));
  CHECK_FALSE(explanation.breaks[0].reason.empty());
  CHECK(contains(explanation.breaks[0].fix, "where"));
}

TEST_CASE("promise 2.10: segments are cached: a change of one compiles that one only") {
  const ScopedFreshCache fresh;
  const auto f = compile(with_break);
  f(up(), up());
  const std::int64_t first = f.stats().kernels_compiled;
  for (int i = 0; i < 5; ++i) CHECK(near_tensor(f(up(), up()), with_break(up(), up())));
  CHECK(f.stats().kernels_compiled == first);
  CHECK(near_tensor(f(up(), down()), with_break(up(), down())));  // the other branch
  CHECK(f.stats().kernels_compiled <= first + 1);
  const std::int64_t both = f.stats().kernels_compiled, runs = f.stats().compiler_runs;
  for (const Tensor& b : {up(), down(), up(), down()}) {
    CHECK(near_tensor(f(up(), b), with_break(up(), b)));
  }
  CHECK(f.stats().kernels_compiled == both);
  CHECK(f.stats().compiler_runs == runs);
}

TEST_CASE("promise 2.10: a read in a loop is the same segment each time, compiled once") {
  const ScopedFreshCache fresh;
  const auto halve = [](const Tensor& x) {
    Tensor y = x;
    while (sum(y) > 1.0f) y = y * 0.5f;
    return y;
  };
  const auto f = compile(halve);
  CHECK(near_tensor(f(full({4}, 100.0f)), halve(full({4}, 100.0f))));
  CHECK(f.stats().breaks == 10);
  CHECK(f.stats().kernels_compiled <= 3);
  const std::int64_t compiled = f.stats().kernels_compiled;
  CHECK(near_tensor(f(full({4}, 5000.0f)), halve(full({4}, 5000.0f))));
  CHECK(f.stats().kernels_compiled == compiled);
}

TEST_CASE("promise 2.10: breaks are logged once, with file and line") {
  const ScopedVariable logs("SINTER_LOGS", "breaks");
  const auto f = compile(with_break);
  const std::string told = said([&] {
    for (int i = 0; i < 4; ++i) f(up(), down());
  });
  INFO(told);
  CHECK(count(told, text("promise_10_breaks_test.cpp:", line_of_break)) == 1);
  CHECK(contains(told, "graph break"));
}

TEST_CASE("promise 2.10: with fullgraph they throw, with the line and the way out") {
  const auto f = compile(with_break, {.fullgraph = true});
  const std::string report = message_of<GraphBreakError>([&] { f(up(), down()); });
  INFO(report);
  CHECK(contains(report, text("promise_10_breaks_test.cpp:", line_of_break)));
  for (const char* way : {"where", "cond", "host"}) CHECK(contains(report, way));
  for (const auto read : reads) {
    CHECK_THROWS_AS(compile(read, {.fullgraph = true})(up()), GraphBreakError);
  }
}

TEST_CASE("promise 2.10: updates in place wait for the end") {
  static bool throws = true;
  const auto f = compile([](Tensor& state, const Tensor& x) {
    state = state + x;
    const float total = sum(state).item<float>();  // sees the new value
    state = state * total;
    if (throws) throw std::runtime_error("of the user");
    return total;
  });
  Tensor state = ready(ones({2}));
  CHECK_THROWS_AS(f(state, ones({2})), std::runtime_error);
  CHECK(is(state, 1));
  throws = false;
  CHECK(f(state, ones({2})) == 4);
  CHECK(is(state, 8));
  const void* const address = place(state);
  CHECK(f(state, ones({2})) == 18);
  CHECK(is(state, 162));
  CHECK(place(state) == address);
}

TEST_CASE("promise 2.10: a fault before, in or after a break leaves state as it was") {
  const auto f = compile([](Tensor& state, const Tensor& first, const Tensor& second) {
    state = state + sum(index_select(state, 0, first));
    const bool large = static_cast<bool>(sum(state) > 0.0f);
    state = state + sum(index_select(state, 0, second)) * (large ? 1.0f : 2.0f);
  });
  Tensor state = ready(ones({2}));
  const Tensor good = integers({0}), bad = integers({2});
  CHECK_THROWS_AS(f(state, bad, good), IndexError);
  CHECK_THROWS_AS(f(state, good, bad), IndexError);
  CHECK(is(state, 1));
  f(state, good, good);
  CHECK(is(state, 4));
}

TEST_CASE("promise 2.10: a break inside of a gradient is allowed") {
  const auto loss = [](const Tensor& x) {
    const Tensor h = tanh(x) * x;
    if (sum(h) > 0.0f) return sum(h * h * x);
    return sum(h);
  };
  const auto f = compile(value_and_grad(loss));
  for (const Tensor& x : {up(), down(), vector({0.1f, -2, 0.3f})}) {
    const auto [value, gradient] = f(x);
    const auto [expected, expected_gradient] = value_and_grad(loss)(x);
    CHECK(near_tensor(value, expected, 1e-4));
    CHECK(near_tensor(gradient, expected_gradient, 1e-4));
  }
  CHECK(f.stats().breaks == 1);
}

TEST_CASE("promise 2.10: draws before and after a break are draws of one call") {
  const auto program = [](const Tensor& x) {
    const Tensor first = rand({3}) + x;
    const float total = sum(first).item<float>();
    return first * 0.0f + rand({3}) + total * 0.0f;
  };
  std::vector<Tensor> found;
  for (const Backend backend : {Backend::fused, Backend::eager}) {
    const auto f = compile(program, {.backend = backend});
    random::manual_seed(3);
    for (int i = 0; i < 2; ++i) found.push_back(f(zeros({3})));
  }
  CHECK(near_tensor(found[0], found[2]));
  CHECK(near_tensor(found[1], found[3]));
  CHECK_FALSE(same_bits(found[0], found[1]));
}

TEST_CASE("promise 2.10: reading a shape, dtype or device is no force") {
  const auto f = compile(
      [](const Tensor& x) {
        const Tensor y = exp(x);
        const bool same_kind = y.dtype() == f32 && y.device() == x.device();
        return same_kind && y.ndim() == 1 && y.size(0) > 2 ? y : x;
      },
      {.fullgraph = true});
  CHECK(is(f(zeros({3})), 1));
  CHECK(f.stats().breaks == 0);
}
