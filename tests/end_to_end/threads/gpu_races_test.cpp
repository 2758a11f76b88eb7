// test: deep
// Host threads that use GPUs, mainly for ThreadSanitizer. Kernels do not run.

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

#include <sinter/compile/cache/load_or_compile.hpp>
#include <sinter/sinter.hpp>

#include "cuda_emulator/idle_driver.hpp"

using namespace sinter;
using namespace sinter::detail;

#define IDLE_GPUS(driver)           \
  const compiler::FreshCache fresh; \
  emulator::Emulator machine;       \
  const emulator::IdleDriver driver(machine)

namespace {

constexpr int threads = 6;

// Runs body(i) on GPU i % 2 in each thread; returns the number of threads that threw.
template <class Body>
int failures(Body body) {
  std::atomic<int> failed{0};
  std::vector<std::thread> list;
  for (int i = 0; i < threads; ++i) {
    list.emplace_back([&, i] {
      try {
        const ScopedDevice scope(cuda(i % 2));
        body(i);
      } catch (const std::exception&) {
        ++failed;
      }
    });
  }
  for (std::thread& thread : list) thread.join();
  return failed;
}

struct Net {
  nn::Linear in{16, 32}, out{32, 4};
  SINTER_MODULE(Net, in, out)
  Tensor forward(const Tensor& x) const { return softmax(out(relu(in(x))), -1); }
};

}  // namespace

TEST_CASE("gpu_races: all threads call one function, in each mode") {
  for (const Mode mode : {Mode::standard, Mode::reduce_overhead, Mode::max_autotune}) {
    IDLE_GPUS(driver);
    const ScopedDevice scope(cuda(0));
    const Net net;
    const auto f = compile(net, {.mode = mode});
    const Tensor x = randn({33, 16});
    evaluate(x);
    CHECK(failures([&](int) {
            const ScopedDevice here(cuda(0));
            for (int call = 0; call < 20; ++call) evaluate(f(x));
          }) == 0);
    CHECK(f.stats().recordings == 1);
    CHECK(f.stats().calls == 20 * threads);
    CHECK(driver.launches() >= 20 * threads);
  }
}

TEST_CASE("gpu_races: each signature is recorded once on each device") {
  IDLE_GPUS(driver);
  const auto f =
      compile([](const Tensor& x) { return softmax(x * 2.0f + 1.0f, 0); },
              {.mode = Mode::reduce_overhead, .dynamic = Dynamic::off, .recompile_limit = 100});
  CHECK(failures([&](int thread) {
          for (int call = 0; call < 20; ++call) {
            const Tensor x = ones({2 + (call + thread) % 5});
            evaluate(x);
            evaluate(f(x));
          }
        }) == 0);
  CHECK(f.stats().variants == 10);
  CHECK(f.stats().recordings == 10);
}

TEST_CASE("gpu_races: each thread trains its own model, and reads the results") {
  IDLE_GPUS(driver);
  const auto step = compile(
      [](Net& net, optim::AdamW& optimizer, const Tensor& x) {
        const auto [loss, gradients] = value_and_grad(net, [&] { return sum(net(x)); });
        optimizer.step(net, gradients);
        return loss;
      },
      {.mode = Mode::reduce_overhead});
  CHECK(failures([&](int) {
          Net net;
          optim::AdamW optimizer{.learning_rate = 1e-3f};
          const Tensor x = randn({8, 16});
          for (int call = 0; call < 6; ++call) (void)step(net, optimizer, x).item<float>();
        }) == 0);
  CHECK(step.stats().calls == 6 * threads);
}

TEST_CASE("gpu_races: eager expressions, copies between devices, and reads at breaks") {
  IDLE_GPUS(driver);
  const auto f =
      compile([](const Tensor& x) { return x.data<float>()[0] > 1e9f ? x : sum(x) + 1.0f; },
              {.mode = Mode::reduce_overhead});
  CHECK(failures([&](int thread) {
          for (int call = 0; call < 10; ++call) {
            const Tensor x = randn({5, 3}) * (1.0f + static_cast<float>(call));
            const Tensor there = x.to(cuda((thread + 1) % 2));
            (void)there.to(cpu()).to_vector<float>();
            evaluate(f(x));
          }
        }) == 0);
  CHECK(driver.launches() > 0);
}
