// test: moved
// Promise 15: three backends that agree; what numbers do.

#include <doctest/doctest.h>

#include "promises/promises.hpp"

using namespace testing;

namespace {

constexpr std::array<Backend, 3> backends{Backend::eager, Backend::aot_eager, Backend::fused};

// The results of `function` on each backend, which have to agree with `expected`.
template <class F, class... Args>
void check_all(const Numbers& expected, F function, const Args&... args) {
  for (const Backend backend : backends) {
    INFO("backend " << static_cast<int>(backend));
    CHECK(near(compile(function, {.backend = backend})(args...), expected));
  }
}

struct Net {
  nn::LayerNorm norm{6};
  nn::Linear in{6, 8}, out{8, 3};
  SINTER_MODULE(Net, norm, in, out)
  Tensor forward(const Tensor& x) const { return out(gelu(in(norm(x)))); }
};

Tensor train(Net& model, optim::AdamW& optimizer, const Tensor& x, const Tensor& target) {
  auto [loss, gradients] = value_and_grad(model, [&] { return cross_entropy(model(x), target); });
  optimizer.step(model, gradients);
  return loss;
}

}  // namespace

TEST_CASE("promise 2.15: eager, aot_eager and fused agree, gradients and optimizers included") {
  random::manual_seed(2);
  const Net start;
  const Tensor x = randn({9, 6}), target = randint(0, 3, {9});
  std::vector<Numbers> losses;
  std::vector<Tensor> weights;
  for (const Backend backend : backends) {
    Net model = start;
    optim::AdamW optimizer{.learning_rate = 0.01f};
    const auto step = compile(train, {.backend = backend});
    losses.emplace_back();
    for (int i = 0; i < 5; ++i) {
      losses.back().push_back(step(model, optimizer, x, target).item<double>());
    }
    weights.push_back(model.in.weight);
  }
  for (std::size_t i = 1; i < 3; ++i) {
    CHECK(near(vector(std::vector<float>(losses[i].begin(), losses[i].end())), losses[0], 1e-5));
    CHECK(near_tensor(weights[i], weights[0], 1e-4));
  }
}

TEST_CASE("promise 2.15: eager is what the program computes without compile, bit for bit") {
  const auto program = [](const Tensor& x) {
    return softmax(tanh(x) * 3.0f, -1) + sum(exp(x), {0}) - x / 7.0f;
  };
  const Tensor x = randn({5, 33});
  CHECK(same_bits(compile(program, {.backend = Backend::eager})(x), program(x)));
}

TEST_CASE("promise 2.15: eager computes each operation as it is written") {
  const auto f =
      compile([](const Tensor& x) { return sin(x) + 1.0f; }, {.backend = Backend::eager});
  f(ones({3}));
  CHECK(f.stats().kernels == 0);
  CHECK(f.stats().compiler_runs == 0);
}

TEST_CASE("promise 2.15: strict rounds at every operation, as eager does") {
  const auto chain = [](const Tensor& x, const Tensor& y) {
    const Tensor small = x.to(bf16) * y.to(bf16) + y.to(bf16);
    return (small * small - y.to(bf16)).to(f32) + sqrt(abs(x)) / 3.0f;
  };
  const Tensor x = randn({40, 50}), y = randn({40, 50});
  const Tensor expected = chain(x, y);
  CHECK(same_bits(compile(chain, {.numerics = Numerics::strict})(x, y), expected));
  const Tensor fast = compile(chain)(x, y);
  CHECK(near_tensor(fast, expected, 0.1));
  CHECK_FALSE(same_bits(fast, expected));  // it kept f32 between the operations
}

TEST_CASE("promise 2.15: masks use -inf") {
  const auto masked = [](const Tensor& x, const Tensor& mask) {
    return softmax(where(mask, x, -infinity), -1);
  };
  const Tensor x = vector({1, 2, 3, 4});
  const Tensor mask = vector({1, 0, 1, 0}) > 0.0f;
  const double e = std::exp(2.0);
  check_all({1 / (1 + e), 0, e / (1 + e), 0}, masked, x, mask);
  const auto all_masked = [](const Tensor& v) { return softmax(v - infinity, -1); };
  check_all({not_a_number, not_a_number, not_a_number, not_a_number}, all_masked, x);
}

TEST_CASE("promise 2.15: NaN and infinity behave as IEEE says; max and min keep NaN") {
  const Tensor x = vector({1, not_a_number, 3, -infinity});
  check_all(
      {not_a_number}, [](const Tensor& v) { return max(v); }, x);
  check_all(
      {not_a_number}, [](const Tensor& v) { return min(v); }, x);
  check_all(
      {not_a_number}, [](const Tensor& v) { return sum(v); }, x);
  check_all(
      {1, not_a_number, 2, -infinity}, [](const Tensor& v) { return minimum(v, 2.0f); }, x);
  check_all(
      {2, not_a_number, 3, 2}, [](const Tensor& v) { return maximum(2.0f, v); }, x);
  check_all(
      {0, 0, 0, 0}, [](const Tensor& v) { return (v != v).to(f32) * 0.0f; }, x);
  check_all(
      {0, 1, 0, 0}, [](const Tensor& v) { return isnan(v).to(f32); }, x);
  check_all(
      {1, not_a_number, 9, infinity}, [](const Tensor& v) { return v * v; }, x);
  const Tensor zero = vector({1, -1, 0});
  check_all(
      {infinity, -infinity, not_a_number}, [](const Tensor& v) { return v / 0.0f; }, zero);
  check_all(
      {0, not_a_number, -infinity}, [](const Tensor& v) { return log(v); }, zero);
  check_all(
      {1, not_a_number, 0}, [](const Tensor& v) { return sqrt(v); }, zero);
}

TEST_CASE("promise 2.15: NaN is found anywhere in a long row") {
  for (const std::size_t at : {0UL, 15UL, 16UL, 63UL, 99UL, 100UL}) {
    std::vector<float> numbers(101, 1.0f);
    numbers[at] = not_a_number;
    check_all(
        {not_a_number}, [](const Tensor& v) { return max(v, {-1}); }, vector(numbers));
  }
}

TEST_CASE("promise 2.15: integers wrap") {
  const auto square_plus = [](const Tensor& v) { return (v * v + 1).to(f64); };
  const Tensor x = from_vector(std::vector<std::int32_t>{65536, 65537, -3}, {3});
  check_all({1, 131074, 10}, square_plus, x);
  const Tensor small = from_vector(std::vector<std::int8_t>{127, -128, 100}, {3});
  check_all(
      {-128, -127, 101}, [](const Tensor& v) { return (v + 1).to(f64); }, small);
  check_all(
      {-127, -128, -100}, [](const Tensor& v) { return (-v).to(f64); }, small);
}

TEST_CASE("promise 2.15: float to integer saturates, and NaN becomes 0") {
  const Tensor x = vector({1e20f, -1e20f, infinity, -infinity, not_a_number, 2.9f, -2.9f});
  const auto to_i8 = [](const Tensor& v) { return v.to(i8).to(f64); };
  const auto to_u8 = [](const Tensor& v) { return v.to(u8).to(f64); };
  const auto to_i32 = [](const Tensor& v) { return v.to(i32).to(f64); };
  check_all({127, -128, 127, -128, 0, 2, -2}, to_i8, x);
  check_all({255, 0, 255, 0, 0, 2, 0}, to_u8, x);
  check_all({2147483647, -2147483648.0, 2147483647, -2147483648.0, 0, 2, -2}, to_i32, x);
}
