// test: deep emulator gpu
// Branches and loops of compiled functions on a GPU, here an emulated one: conditional nodes of one
// CUDA Graph.

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "cuda_graph_control.hpp"

using namespace gpu_graph;

TEST_CASE("cuda graph control: a loop with a data-dependent number of steps is one graph launch") {
  GPU_TEST(machine, driver);
  auto f = compile(doubled, replayed);
  for (const float first : {100.0f, 30.0f, 14.0f, 7.0f, 1.0f, -2.9f}) {
    const Tensor there = three(first).to(cuda());
    CHECK(difference(called(machine, driver, f, there), doubled(three(first))) == 0);
  }
  CHECK(driver.calls<&Driver::instantiate_graph>() == 1);
  CHECK(f.stats().eager_calls == 0);
  CHECK(f.stats().recompiles == 0);
}

TEST_CASE("cuda graph control: a branch depends on the data, with and without an else") {
  for (const int version : {13000, 12040}) {
    GPU_TEST(machine, driver);
    machine.set_driver_version(version);
    auto f = compile(chosen, replayed);
    for (const float first : {1.0f, -9.0f, -4.0f, 3.0f, 0.0f}) {
      const Tensor there = three(first).to(cuda());
      CHECK(difference(called(machine, driver, f, there), chosen(three(first))) < 1e-6f);
    }
    CHECK(driver.calls<&Driver::instantiate_graph>() == 1);
  }
}

TEST_CASE("cuda graph control: a scan reads and writes one step at a time") {
  GPU_TEST(machine, driver);
  auto f = compile(recurrence, replayed);
  for (const int steps : {1, 2, 3, 7}) {
    const Tensor first = sample({4}, 0.3f), xs = sample({steps, 4}, 0.2f);
    auto g = compile(recurrence, replayed);
    const auto [last, ys] = called(machine, driver, g, first.to(cuda()), xs.to(cuda()));
    const auto [expected, all] = recurrence(first, xs);
    CHECK(difference(last, expected) < 1e-6f);
    CHECK(difference(ys, all) < 1e-6f);
  }
}

TEST_CASE(
    "cuda graph control: a scan of any length is one graph; without steps it returns the carry") {
  GPU_TEST(machine, driver);
  auto f = compile(recurrence, replayed);
  Tensor xs = sample({3, 4}, 0.2f).to(cuda());
  mark_dynamic(xs, 0);
  const Tensor first = sample({4}, 0.3f);
  f(first.to(cuda()), xs);
  for (const int steps : {5, 1, 0, 8, 2}) {
    const Tensor here = sample({steps, 4}, 0.1f);
    Tensor there = here.to(cuda());
    const auto [last, ys] = called(machine, driver, f, first.to(cuda()), there);
    const auto [expected, all] = recurrence(first, here);
    CHECK(difference(last, expected) < 1e-6f);
    CHECK(difference(ys, all) < 1e-6f);
  }
  CHECK(f.stats().recompiles == 0);
  CHECK(driver.calls<&Driver::instantiate_graph>() == 1);
}

TEST_CASE(
    "cuda graph control: different sizes inside a body need another graph, which is counted") {
  GPU_TEST(machine, driver);
  auto f = compile(doubled, replayed);
  Tensor x = full({600}, 0.01f).to(cuda());
  mark_dynamic(x, 0);
  f(x);
  for (const int size : {600, 40000, 40000, 600}) {
    const Tensor here = full({size}, 0.001f);
    CHECK(difference(called(machine, driver, f, here.to(cuda())), doubled(here)) < 1e-4f);
  }
  CHECK(f.stats().recompiles == 0);
  CHECK(driver.calls<&Driver::instantiate_graph>() == 3);
}

TEST_CASE("cuda graph control: nested branches and loops are one graph") {
  GPU_TEST(machine, driver);
  const auto nested = [](const Tensor& xs) {
    const auto [last, ys] = scan(
        [](const Tensor& c, const Tensor& x) {
          const Tensor next = cond(
              sum(x) > 0.0f, [&] { return doubled(abs(x) + c * 0.01f) * 0.1f; },
              [&] { return c - x; });
          return std::pair{next, next * 2.0f};
        },
        zeros({3}), xs);
    return ys + chosen(last);
  };
  auto f = compile(nested, replayed);
  for (const float step : {0.37f, 0.9f, -0.2f}) {
    const Tensor xs = sample({5, 3}, step);
    const Tensor there = xs.to(cuda());
    CHECK(difference(called(machine, driver, f, there), nested(xs)) < 1e-4f);
  }
  CHECK(driver.calls<&Driver::instantiate_graph>() == 1);
}

TEST_CASE(
    "cuda graph control: results alternate between buffers, earlier ones stay valid, and replays "
    "allocate nothing") {
  GPU_TEST(machine, driver);
  auto f = compile([](const Tensor& t) { return doubled(t) + chosen(t); }, replayed);
  const auto plain = [](const Tensor& t) { return doubled(t) + chosen(t); };
  std::vector<Tensor> inputs, results;
  for (int i = 0; i < 4; ++i) {
    inputs.push_back(three(static_cast<float>(3 * i) - 2.5f));
    results.push_back(f(inputs.back().to(cuda())));
  }
  for (std::size_t i = 0; i < 4; ++i) CHECK(difference(results[i], plain(inputs[i])) < 1e-5f);
  const Tensor there = inputs[1].to(cuda());
  results.clear();
  for (int i = 0; i < 2; ++i) f(there);
  const int allocated = driver.calls<&Driver::allocate>();
  const int copied = driver.calls<&Driver::copy_to_device_async>();
  const std::int64_t live = memory_stats(cuda()).live_bytes;
  for (int i = 0; i < 20; ++i) f(there);
  CHECK(driver.calls<&Driver::allocate>() == allocated);
  CHECK(driver.calls<&Driver::copy_to_device_async>() == copied);
  CHECK(memory_stats(cuda()).live_bytes == live);
  CHECK(driver.calls<&Driver::instantiate_graph>() == 1);
}

TEST_CASE("cuda graph control: threads run loops at once, each in its own graph") {
  GPU_TEST(machine, driver);
  auto f = compile([](const Tensor& t) { return doubled(t) * 0.5f; }, replayed);
  f(three(1).to(cuda()));
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&, i] {
      const Tensor x = three(static_cast<float>(20 * i + 1));
      const std::vector<float> expected = (doubled(x) * 0.5f).to_vector<float>();
      const Tensor there = x.to(cuda());
      for (int k = 0; k < 4; ++k) wrong += f(there).to_vector<float>() != expected;
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(driver.calls<&Driver::launch>() == 0);
}

TEST_CASE(
    "cuda graph control: a training step with a scan and a branch keeps its state on the GPU") {
  GPU_TEST(machine, driver);
  const auto step = [](Tensor& w, const Tensor& xs) {
    const auto loss_of = [&](const Tensor& weight) {
      const auto [last, ys] = scan(
          [&](const Tensor& h, const Tensor& x) {
            const Tensor next = tanh(matmul(h, weight) + x);
            return std::pair{next, next * next};
          },
          zeros({2, 3}), xs);
      return sum(ys) + cond(
                           sum(last) > 0.0f, [&, h = last] { return sum(h * h); },
                           [&, h = last] { return sum(exp(h)); });
    };
    auto [loss, gradient] = value_and_grad(loss_of)(w);
    w = w - 0.05f * gradient;
    return loss;
  };
  auto f = compile(step, replayed);
  Tensor here = sample({3, 3}, 0.1f), there = here.to(cuda());
  const Tensor xs = sample({4, 2, 3}, 0.2f);
  for (int i = 0; i < 4; ++i) {
    const Tensor x = xs * (i % 2 == 0 ? 1.0f : -1.0f), x_there = x.to(cuda());
    const std::size_t graphs = machine.graph_launches();
    const Tensor loss = f(there, x_there);
    CHECK(machine.graph_launches() == graphs + 1);
    CHECK(difference(loss, step(here, x)) < 1e-4f);
    CHECK(difference(there, here) < 1e-5f);
  }
  CHECK(driver.calls<&Driver::launch>() == 0);
}

TEST_CASE("cuda graph control: a body may contain an argmax") {
  GPU_TEST(machine, driver);
  const auto greedy = [](const Tensor& weights, const Tensor& first) {
    return while_loop([](const Tensor& at, const Tensor& x) { return (at < 3) & (sum(x) > 0.0f); },
                      [&](const Tensor& at, const Tensor& x) {
                        const Tensor best = argmax(x > 0.0f, 0) + argmax(x, 0);
                        return std::tuple{at + 1, matmul(weights, x) + best.to(f32)};
                      },
                      Tensor(zeros({}, i64)), first);
  };
  auto f = compile(greedy, replayed);
  const Tensor weights = sample({4, 4}, 0.1), first = abs(sample({4}, 0.4));
  const Tensor there = first.to(cuda()), weights_there = weights.to(cuda());
  const auto got = called(machine, driver, f, weights_there, there);
  CHECK(difference(std::get<1>(got), std::get<1>(greedy(weights, first))) < 1e-5f);
}
