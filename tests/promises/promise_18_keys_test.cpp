// test: moved
// Promise 18: keys are structural.

#include <doctest/doctest.h>

#include "promises/promises.hpp"

using namespace testing;

namespace {

struct Layer {
  nn::Linear linear{7, 7};
  SINTER_MODULE(Layer, linear)
  Tensor forward(const Tensor& x) const { return relu(linear(x)) * 0.75f; }
};

// The same in other words: other names, other lines, another structure of members.
struct RenamedLayer {
  Tensor table = randn({7, 7});
  std::vector<Tensor> others{randn({7})};
  SINTER_MODULE(RenamedLayer, table, others)

  Tensor forward(const Tensor& values) const {
    const Tensor& shift = others[0];

    auto result = linear(values, table, shift);
    result = relu(result);
    result *= 0.75f;
    return result;
  }
};

// How many kernels had to be compiled for a first call of `function`.
template <class F, class... Args>
std::int64_t compiled_for(F&& function, CompileOptions options, const Args&... args) {
  const auto f = compile(std::forward<F>(function), options);
  f(args...);
  return f.stats().kernels_compiled;
}

template <class F>
std::int64_t compiled_for(F&& function, const Tensor& x) {
  return compiled_for(std::forward<F>(function), {}, x);
}

}  // namespace

TEST_CASE("promise 2.18: the same model moved, renamed or reformatted hits") {
  const ScopedFreshCache fresh;
  const Tensor x = randn({5, 7});
  CHECK(compiled_for(Layer(), x) > 0);
  CHECK(compiled_for(Layer(), x) == 0);
  CHECK(compiled_for(RenamedLayer(), x) == 0);
  CHECK(compiled_for(Layer(), {.name = "another name"}, x) == 0);
  const auto free_function = [](const Tensor& w, const Tensor& b, const Tensor& v) {
    return 0.75f * relu(linear(v, w, b));
  };
  CHECK(compiled_for(free_function, {}, randn({7, 7}), randn({7}), x) == 0);
}

TEST_CASE("promise 2.18: there are no addresses and no values of arguments in a key") {
  const ScopedFreshCache fresh;
  const auto f = [](const Tensor& x, const Tensor& y) { return tanh(x) * y + 2.0f; };
  CHECK(compiled_for(f, {}, zeros({9}), ones({9})) == 1);
  const std::vector<float> memory(20, 4.0f);
  for (const int offset : {0, 1, 5}) {
    const Tensor x = view(memory.data() + offset, {9}).to(current_device());
    CHECK(compiled_for(f, {}, x, randn({9})) == 0);
  }
}

TEST_CASE("promise 2.18: what differs in the graph differs in the key") {
  const ScopedFreshCache fresh;
  const Tensor x = zeros({9});
  const std::vector<Tensor (*)(const Tensor&)> functions{
      [](const Tensor& v) { return sin(v) + 1.0f; }, [](const Tensor& v) { return sin(v) + 2.0f; },
      [](const Tensor& v) { return cos(v) + 1.0f; }, [](const Tensor& v) { return 1.0f - sin(v); },
      [](const Tensor& v) { return sin(v) - 1.0f; }};
  const std::vector<double> expected{1, 2, 2, 1, -1};
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const auto f = compile(functions[i]);
    CHECK(is(f(x), expected[i]));
    CHECK(f.stats().kernels_compiled == 1);
  }
  CHECK(compiled_for(functions[0], zeros({9}, f64)) == 1);
  CHECK(compiled_for(functions[0], zeros({10})) == 1);
}

TEST_CASE("promise 2.18: numbers that differ in their last bit are different constants") {
  const ScopedFreshCache fresh;
  const Tensor x = ones({3}, f64);
  const auto a = compile([](const Tensor& v) { return v * 0.1; });
  const auto b = compile([](const Tensor& v) { return v * 0.10000000000000002; });
  CHECK(a(x).to_vector<double>()[0] == 0.1);
  CHECK(b(x).to_vector<double>()[0] == 0.10000000000000002);
  const auto zero = compile([](const Tensor& v) { return v * 0.0f / 1.0f; });
  const auto negative = compile([](const Tensor& v) { return v * -0.0f / 1.0f; });
  CHECK_FALSE(std::signbit(zero(ones({3})).to_vector<float>()[0]));
  CHECK(std::signbit(negative(ones({3})).to_vector<float>()[0]));
}

TEST_CASE("promise 2.18: options that change the code are in the key, others are not") {
  const ScopedFreshCache fresh;
  const auto f = [](const Tensor& x) { return (x.to(f16) * 3.0f + 1.0f).to(f32) / 3.0f; };
  const Tensor x = ones({11});
  CHECK(compiled_for(f, {}, x) == 1);
  CHECK(compiled_for(f, {.numerics = Numerics::strict}, x) == 1);
  CHECK(compiled_for(f, {.fullgraph = true, .recompile_limit = 2}, x) == 0);
  CHECK(compiled_for(f, {.numerics = Numerics::strict}, x) == 0);
}

TEST_CASE("promise 2.18: the key does not depend on the order in which operands were written") {
  const ScopedFreshCache fresh;
  const auto f = [](const Tensor& x, const Tensor& y) { return sin(x) + cos(y); };
  const auto g = [](const Tensor& x, const Tensor& y) {
    const Tensor second = cos(y), first = sin(x);
    return first + second;
  };
  CHECK(compiled_for(f, {}, zeros({12}), zeros({12})) == 1);
  CHECK(compiled_for(g, {}, zeros({12}), zeros({12})) == 0);
}

TEST_CASE("promise 2.18: one kernel serves all sizes of a marked dimension, in every function") {
  const ScopedFreshCache fresh;
  const auto f = [](const Tensor& x) { return exp(x) * 0.5f; };
  CHECK(compiled_for(f, marked(zeros({12}))) == 1);
  CHECK(compiled_for(f, marked(zeros({99}))) == 0);
}
