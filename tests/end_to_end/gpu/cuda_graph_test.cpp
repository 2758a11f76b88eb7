// test: deep emulator gpu
// Replays of compiled functions on a GPU, here an emulated one, as CUDA Graphs.

#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "captured_output.hpp"
#include "cuda_graph.hpp"

using namespace gpu_graph;

TEST_CASE("cuda graph: a replay is one graph launch, and no kernel launch") {
  GPU_TEST(machine, driver);
  auto f = compile(mixed, replayed);
  for (int i = 0; i < 4; ++i) {
    const Tensor x = sample({5, 9}, 0.1f * static_cast<float>(i + 1));
    CHECK(difference(f(x.to(cuda())), mixed(x)) < 1e-5f);
    CHECK(machine.graph_launches() == static_cast<std::size_t>(i + 1));
  }
  CHECK(f.stats().launches > 1);
  CHECK(driver.calls<&Driver::launch>() == 0);
  CHECK(driver.calls<&Driver::instantiate_graph>() == 1);
  CHECK(driver.edges().size() == static_cast<std::size_t>(f.stats().launches));
  CHECK(f.stats().eager_calls == 0);
}

TEST_CASE("cuda graph: one graph serves every batch size") {
  GPU_TEST(machine, driver);
  auto f = compile(mixed, replayed);
  Tensor x = sample({3, 8}).to(cuda());
  mark_dynamic(x, 0);
  f(x);
  for (const int batch : {1, 4, 11, 2, 300, 11}) {
    const Tensor other = sample({batch, 8});
    CHECK(difference(f(other.to(cuda())), mixed(other)) < 1e-4f);
  }
  CHECK(f.stats().recompiles == 0);
  CHECK(driver.calls<&Driver::instantiate_graph>() == 1);
  CHECK(machine.graph_launches() == 7);
}

TEST_CASE("cuda graph: a replay makes few driver calls") {
  GPU_TEST(machine, driver);
  auto f = compile(mixed, replayed);
  Tensor x = sample({5, 9}).to(cuda());
  f(x);
  const auto cost = [&](const auto& call) {
    const int before = driver.all_calls();
    call();
    return driver.all_calls() - before;
  };
  CHECK(cost([&] { f(x); }) == 1);  // the result has the same memory
  {
    const Tensor one = f(x), two = f(x);  // the pool now has memory for two results
  }
  const Tensor held = f(x);
  CHECK(driver.calls<&Driver::set_kernel_node>() > 0);
  const int patched = driver.calls<&Driver::set_kernel_node>();
  CHECK(cost([&] { f(x); }) == 2);  // one node writes the result
  CHECK(driver.calls<&Driver::set_kernel_node>() == patched + 1);
  CHECK(cost([&] { f(x); }) == 1);
}

TEST_CASE("cuda graph: results of earlier calls are not overwritten") {
  GPU_TEST(machine, driver);
  auto f = compile(mixed, replayed);
  std::vector<Tensor> inputs, results;
  for (int i = 0; i < 4; ++i) {
    inputs.push_back(sample({4, 6}, 0.2f * static_cast<float>(i + 1)));
    results.push_back(f(inputs.back().to(cuda())));
  }
  for (std::size_t i = 0; i < 4; ++i) CHECK(difference(results[i], mixed(inputs[i])) < 1e-5f);
}

TEST_CASE("cuda graph: numbers of the host are copied when they change") {
  GPU_TEST(machine, driver);
  auto f = compile([](const Tensor& t, Scalar by) { return t * by; }, replayed);
  const Tensor x = sample({6}).to(cuda());
  for (const float by : {2.0f, 3.0f, 4.0f}) CHECK(difference(f(x, by), x * by) == 0);
  const int copies = driver.calls<&Driver::copy_to_device_async>();
  f(x, 4.0f);
  CHECK(driver.calls<&Driver::copy_to_device_async>() == copies);
  f(x, 5.0f);
  CHECK(driver.calls<&Driver::copy_to_device_async>() == copies + 1);
}

TEST_CASE("cuda graph: threads call at once, each with its own graph") {
  GPU_TEST(machine, driver);
  auto f = compile(mixed, replayed);
  const Tensor x = sample({4, 6}).to(cuda());
  const std::vector<float> expected = f(x).to_vector<float>();
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 5; ++k) wrong += f(x).to_vector<float>() != expected;
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(driver.calls<&Driver::launch>() == 0);
  CHECK(driver.calls<&Driver::instantiate_graph>() >= 2);
  CHECK(driver.calls<&Driver::instantiate_graph>() <= 3);
}

TEST_CASE("cuda graph: kernels wait for those whose results they read, and for no others") {
  GPU_TEST(machine, driver);
  auto f =
      compile([](const Tensor& a, const Tensor& b) { return matmul(cumsum(a, 1), cumsum(b, 1)); },
              replayed);
  const Tensor a = sample({6, 7}), b = sample({7, 5}, 0.1f);
  CHECK(difference(f(a.to(cuda()), b.to(cuda())), matmul(cumsum(a, 1), cumsum(b, 1))) < 1e-4f);
  REQUIRE(driver.edges().size() == 3);
  CHECK(driver.edges()[0].empty());
  CHECK(driver.edges()[1].empty());
  CHECK(driver.edges()[2] == std::vector<int>{0, 1});
}

TEST_CASE("cuda graph: a hundred calls hold no more memory than a few") {
  GPU_TEST(machine, driver);
  auto f = compile(mixed, replayed);
  const auto call = [&](int i) {
    return f(sample({5, 9}, 0.01f * static_cast<float>(i)).to(cuda()));
  };
  for (int i = 0; i < 5; ++i) call(i);
  const MemoryStats before = memory_stats(cuda());
  const int allocated = driver.calls<&Driver::allocate>();
  for (int i = 0; i < 100; ++i) call(i);
  CHECK(memory_stats(cuda()).live_bytes == before.live_bytes);
  CHECK(driver.calls<&Driver::allocate>() == allocated);
  CHECK(driver.calls<&Driver::instantiate_graph>() == 1);
}

TEST_CASE("cuda graph: variants and functions share memory for temporaries") {
  GPU_TEST(machine, driver);
  const auto live = [] { return memory_stats(cuda()).live_bytes; };
  auto f = compile(mixed, {.mode = Mode::reduce_overhead, .dynamic = Dynamic::off});
  const Tensor large = sample({64, 32}).to(cuda()), small = sample({16, 32}).to(cuda());
  large.data<float>(), small.data<float>();
  f(large);
  const std::int64_t before = live();
  f(small);
  CHECK(f.stats().recompiles == 1);
  CHECK(live() == before);
  auto g = compile([](const Tensor& t) { return mixed(t) + 1.0f; }, replayed);
  g(small);
  CHECK(live() == before);
  CHECK(driver.calls<&Driver::instantiate_graph>() == 3);
}

TEST_CASE("cuda graph: the option mode decides") {
  GPU_TEST(machine, driver);
  const Tensor x = sample({5, 9}), there = x.to(cuda());
  for (const Mode mode : {Mode::standard, Mode::max_autotune_no_cuda_graphs}) {
    CHECK(difference(compile(mixed, {.mode = mode})(there), mixed(x)) < 1e-5f);
  }
  CHECK(machine.graph_launches() == 0);
  CHECK(difference(compile(mixed, {.mode = Mode::max_autotune})(there), mixed(x)) < 1e-5f);
  CHECK(machine.graph_launches() == 1);
}

TEST_CASE("cuda graph: a function that reads on the host replays the segments before and after") {
  GPU_TEST(machine, driver);
  auto f = compile(
      [](const Tensor& t) {
        const Tensor doubled = t * 2.0f;
        return sum(doubled).item<float>() > 0 ? doubled + 1.0f : doubled - 1.0f;
      },
      replayed);
  const Tensor x = sample({6});
  for (int i = 0; i < 3; ++i) CHECK(difference(f(x.to(cuda())), f(x)) == 0);
  CHECK(machine.graph_launches() == 6);
  CHECK(driver.calls<&Driver::instantiate_graph>() == 2);
}

TEST_CASE("cuda graph: the number of driver calls does not grow with the arguments") {
  const compiler::FreshCache fresh;
  SINTER_GPUS(machine, 1);
  static const CudaDriver* real = nullptr;
  static int entered = 0;  // counts GPU context switches, which every memory query makes
  real = cuda_driver();
  CudaDriver table = *real;
  table.set_context = [](void* context) { return ++entered, real->set_context(context); };
  replace_cuda_driver(&table);
  std::vector<int> counts;
  for (const std::size_t count : {2u, 40u}) {
    auto f = compile(
        [](const std::vector<Tensor>& all) {
          Tensor result = all[0];
          for (const Tensor& one : all) result = result + one;
          return result;
        },
        replayed);
    const std::vector<Tensor> all(count, sample({6}).to(cuda()));
    f(all), f(all);
    entered = 0;
    const Tensor result = f(all);
    counts.push_back(entered);
    CHECK(difference(result, sample({6}) * static_cast<float>(count + 1)) < 1e-4f);
  }
  CHECK(counts[0] == counts[1]);
  replace_cuda_driver(real);
}
