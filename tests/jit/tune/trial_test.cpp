#include <doctest/doctest.h>
#include <sinter/jit/tune/trial.hpp>
#include <sinter/jit/tune/tuner.hpp>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "jit/support.hpp"

using namespace testing;

namespace {

constexpr CompileOptions tuned{.mode = Mode::max_autotune, .autotune_seconds = 0.2};

struct Net {
  nn::Linear in{24, 40}, out{40, 7};
  SINTER_MODULE(Net, in, out)
  Tensor forward(const Tensor& x) const { return softmax(out(gelu(in(x))), -1); }
};

Tensor train(Net& model, optim::AdamW& optimizer, const Tensor& x) {
  auto [loss, gradients] = value_and_grad(model, [&] { return mean(square(model(x))); });
  optimizer.step(model, gradients);
  return loss;
}

// The losses of some steps from the same start.
std::vector<float> losses(const CompileOptions& options) {
  random::manual_seed(3);
  Net model;
  optim::AdamW optimizer{.learning_rate = 1e-2f};
  const Tensor x = randn({33, 24});
  const auto step = compile(train, options);
  std::vector<float> result;
  for (int i = 0; i < 4; ++i) result.push_back(step(model, optimizer, x).item<float>());
  return result;
}

// The timed tunings, in order; later ones count as faster.
std::vector<std::string>& timed() {
  static std::vector<std::string> result;
  return result;
}

std::int64_t faster_than_before(std::string_view, std::string_view tuning) {
  const auto place = std::find(timed().begin(), timed().end(), tuning);
  const auto position = place - timed().begin();
  if (place == timed().end()) timed().emplace_back(tuning);
  return 1'000'000 >> std::min<std::ptrdiff_t>(position, 19);
}

// Strict numerics on `arguments`, with the default texts and with the last ones that are tried on
// this machine.
template <class F, class... Arguments>
void check_strict(F f, const Arguments&... arguments) {
  timed().clear();
  const ScopedFreshCache fresh;
  const auto expected = compile(f, {.numerics = Numerics::strict})(arguments...);
  jit::exchange_kernel_times(faster_than_before);
  const auto other = compile(f, {.mode = Mode::max_autotune,
                                 .numerics = Numerics::strict,
                                 .autotune_seconds = 60});  // enough for a busy machine
  const Tensor first = other(arguments...);
  jit::exchange_kernel_times(nullptr);
  CHECK(first.template to_vector<float>() == expected.template to_vector<float>());
  REQUIRE(timed().size() > 1);
  CAPTURE(timed().back());
  const std::string source = other.explain().kernels.at(0).source;
  CHECK(source.find(text("// tuned: ", timed().back(), "\n")) == 0);
}

}  // namespace

TEST_CASE("trial: a tuned training step with batched launches gives the untuned results") {
  const ScopedFreshCache fresh;
  const std::int64_t before = jit::timed_runs();
  const std::vector<float> expected = losses({}), found = losses(tuned);
  CHECK(jit::timed_runs() > before);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-4));
  }
}

TEST_CASE("trial: strict numerics give the same bits with every tuning") {
  const Tensor x = randn({37, 50}), w = randn({50, 70});
  check_strict([](const Tensor& a) { return softmax(tanh(a), -1); }, x);
  check_strict([](const Tensor& a, const Tensor& b) { return matmul(a, b); }, x, w);
}

TEST_CASE("trial: branches and loops are timed with their bodies") {
  const ScopedFreshCache fresh;
  const auto f = compile(
      [](const Tensor& x) {
        return scan(
            [](const Tensor& sum, const Tensor& row) {
              return std::pair{sum + tanh(row), sum * 2.0f};
            },
            zeros({512}), x);
      },
      tuned);
  const Tensor x = randn({20, 512});
  const auto [sum, rows] = f(x);
  CHECK(near_tensor(sum, sinter::sum(tanh(x), 0), 1e-4));
  CHECK(rows.size(0) == 20);
}

TEST_CASE("trial: while one thread times kernels, others proceed") {
  const ScopedFreshCache fresh;
  const auto f = compile([](const Tensor& x) { return exp(sin(x)); }, tuned);
  const Tensor x = randn({20'000}), expected = exp(sin(x));
  std::atomic<int> wrong{0};
  std::vector<std::thread> team;
  for (int i = 0; i < 4; ++i) {
    team.emplace_back([&] {
      for (int call = 0; call < 30; ++call) wrong += near_tensor(f(x), expected, 1e-5) ? 0 : 1;
    });
  }
  for (std::thread& thread : team) thread.join();
  CHECK(wrong == 0);
}
