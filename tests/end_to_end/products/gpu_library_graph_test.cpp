// test: deep emulator
// Products of a library inside CUDA Graphs: captured, and captured again when what they use moves.

#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "captured_output.hpp"
#include "library_cuda_graph.hpp"

using namespace gpu_library_graph;

namespace {

int captures(const emulator::CountedDriver& driver) {
  return driver.calls<&Driver::begin_capture>();
}

template <class F>
std::string told(F call) {
  setenv("SINTER_LOGS", "cudagraph", 1);
  const std::string result = testing::said(call);
  unsetenv("SINTER_LOGS");
  return result;
}

}  // namespace

TEST_CASE("gpu_library_graph: a replay with products is one launch of one graph") {
  EMULATED_TEST(machine, driver);
  auto f = compile(late, replayed);
  const Tensor w = numbers({k, n}), there = w.to(cuda());
  for (int i = 0; i < 4; ++i) {
    const Tensor x = numbers({m, k}) * static_cast<float>(i + 1);
    CHECK(error(f(x.to(cuda()), there), late(x, w)) < tolerance(f32));
    CHECK(machine.graph_launches() == static_cast<std::size_t>(i + 1));
    CHECK(machine.products() == static_cast<std::size_t>(i + 1));
  }
  CHECK(driver.calls<&Driver::launch>() == 0);
  CHECK(driver.calls<&Driver::instantiate_graph>() == 1);
  CHECK(driver.calls<&Driver::add_child_node>() == 1);
  CHECK(captures(driver) == 1);  // its operands and result do not move
  CHECK(machine.heuristics() == 1);
}

TEST_CASE("gpu_library_graph: moving inputs are captured once per address") {
  EMULATED_TEST(machine, driver);
  auto f = compile(early, replayed);
  const Tensor w = numbers({k, n}), there = w.to(cuda());
  std::vector<Tensor> here, places;
  for (int i = 0; i < 3; ++i) {
    here.push_back(numbers({m, k}) * static_cast<float>(i + 1));
    places.push_back(here.back().to(cuda()));
  }
  for (int i = 0; i < 9; ++i) {
    const auto at = static_cast<std::size_t>(i % 3);
    CHECK(error(f(places[at], there), early(here[at], w)) < tolerance(f32));
  }
  CHECK(captures(driver) == 3);
  CHECK(driver.calls<&Driver::set_child_node>() == 8);
  CHECK(driver.calls<&Driver::instantiate_graph>() == 1);
  CHECK(machine.graph_launches() == 9);
  CHECK(machine.products() == 9);
  CHECK(machine.heuristics() == 1);
  const int before = driver.all_calls();
  f(places[2], there);
  CHECK(driver.all_calls() == before + 1);  // nothing moved: only the launch
  f(places[0], there);
  CHECK(driver.all_calls() == before + 3);  // update of the child, launch
  CHECK(driver.calls<&Driver::copy_on_device_async>() == 0);
}

TEST_CASE("gpu_library_graph: a product whose operands move at every call becomes a kernel") {
  EMULATED_TEST(machine, driver);
  auto f = compile(early, replayed);
  const Tensor x = numbers({m, k}), w = numbers({k, n}), there = w.to(cuda());
  const Tensor expected = early(x, w);
  std::vector<Tensor> places;
  const std::string log = told([&] {
    for (int i = 0; i < 36; ++i) {
      places.push_back(x.to(cuda()));
      CHECK(error(f(places.back(), there), expected) < tolerance(f32));
    }
  });
  CHECK(captures(driver) == 33);
  CHECK(machine.products() == 32);
  CHECK(machine.graph_launches() == 36);
  CHECK(driver.calls<&Driver::instantiate_graph>() == 2);
  CHECK(has(log, "1 of the products of"));
  CHECK(has(log, "become kernels: their addresses change too often"));
}

TEST_CASE("gpu_library_graph: a product whose operands move rarely stays with the library") {
  EMULATED_TEST(machine, driver);
  auto f = compile(early, replayed);
  const Tensor x = numbers({m, k}), w = numbers({k, n}), there = w.to(cuda());
  std::vector<Tensor> places;
  for (int i = 0; i < 40; ++i) {
    places.push_back(x.to(cuda()));
    for (int call = 0; call < 16; ++call) f(places.back(), there);
  }
  synchronize(cuda());
  CHECK(captures(driver) == 40);
  CHECK(machine.products() == 40 * 16);
  for (int i = 0; i < 36; ++i) {
    places.push_back(x.to(cuda()));
    f(places.back(), there);
  }
  CHECK(captures(driver) == 40 + 33);  // earlier stable calls do not count
}

TEST_CASE("gpu_library_graph: what the library works in is in the arena") {
  EMULATED_TEST(machine, driver);
  auto f = compile(late, replayed);
  const Tensor x = numbers({m, 272}), w = numbers({272, n});
  const Tensor far_x = x.to(cuda()), far_w = w.to(cuda());
  CHECK(error(f(far_x, far_w), late(x, w)) < tolerance(f32));
  const MemoryStats before = memory_stats(cuda());
  CHECK(before.live_bytes > std::int64_t{1} << 20);
  const int allocated = driver.calls<&Driver::allocate>();
  for (int i = 0; i < 3; ++i) f(far_x, far_w).to_vector<float>();
  CHECK(memory_stats(cuda()).live_bytes == before.live_bytes);
  CHECK(driver.calls<&Driver::allocate>() == allocated);
  CHECK(machine.products() == 4);
  CHECK(machine.heuristics() == 1);
  CHECK(driver.calls<&Driver::instantiate_graph>() == 1);
}

TEST_CASE("gpu_library_graph: products that work in the same memory wait for each other") {
  const auto two = [](const Tensor& x, const Tensor& u, const Tensor& v) {
    return softmax(matmul(x, u), 1) + softmax(matmul(x, v), 1);
  };
  std::vector<std::string> logs;
  for (const std::int64_t depth : {k, std::int64_t{272}}) {
    EMULATED_TEST(machine, driver);
    const Tensor x = numbers({m, depth}), u = numbers({depth, n}), v = u * 0.5f;
    auto f = compile(two, replayed);
    logs.push_back(told([&] {
      CHECK(error(f(x.to(cuda()), u.to(cuda()), v.to(cuda())), two(x, u, v)) < tolerance(f32));
    }));
    CHECK(machine.products() == 2);
  }
  const auto dependencies = [](const std::string& log) {
    const std::size_t end = log.find(" dependencies");
    REQUIRE(end != std::string::npos);
    return std::atoi(log.c_str() + log.rfind(' ', end - 1));
  };
  CHECK(dependencies(logs[1]) == dependencies(logs[0]) + 1);
}

TEST_CASE("gpu_library_graph: without memory to work in, the library does without") {
  for (const std::size_t memory : {std::size_t{1} << 30, std::size_t{3} << 19}) {
    const compiler::FreshCache fresh;
    emulator::Emulator machine({.devices = 1, .memory = memory});
    auto f = compile(late, replayed);
    const Tensor x = numbers({m, 272}), w = numbers({272, n});
    const Tensor far_x = x.to(cuda()), far_w = w.to(cuda());
    for (int i = 0; i < 2; ++i) CHECK(error(f(far_x, far_w), late(x, w)) < tolerance(f32));
    CHECK(machine.heuristics() == (memory == std::size_t{1} << 30 ? 1 : 2));
    CHECK(machine.products() == 2);
    CHECK(machine.graph_launches() == 2);
  }
}

TEST_CASE("gpu_library_graph: threads have graphs of their own and one choice") {
  EMULATED_TEST(machine, driver);
  auto f = compile(late, replayed);
  const Tensor x = numbers({m, k}).to(cuda()), w = numbers({k, n}).to(cuda());
  const Tensor expected = late(numbers({m, k}), numbers({k, n}));
  f(x, w);
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 3; ++j) wrong += error(f(x, w), expected) < tolerance(f32) ? 0 : 1;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(machine.graph_launches() == 7);
  CHECK(machine.products() == 7);
  CHECK(machine.heuristics() == 1);
  CHECK(captures(driver) == driver.calls<&Driver::instantiate_graph>());
}

TEST_CASE("gpu_library_graph: sizes that are known at the call alone stay kernels") {
  EMULATED_TEST(machine, driver);
  auto f = compile(early, replayed);
  const Tensor w = numbers({k, n}), there = w.to(cuda());
  for (const std::int64_t rows : {m, m + 9}) {
    const Tensor x = numbers({rows, k});
    Tensor far = x.to(cuda());
    mark_dynamic(far, 0);
    CHECK(error(f(far, there), early(x, w)) < tolerance(f32));
  }
  CHECK(machine.products() == 0);
  CHECK(captures(driver) == 0);
  CHECK(driver.calls<&Driver::instantiate_graph>() == 1);
}

TEST_CASE("gpu_library_graph: state that a product updates stays where it is") {
  EMULATED_TEST(machine, driver);
  const auto step = [](Tensor& state, const Tensor& x, const Tensor& w) {
    state = state * 0.5f + matmul(softmax(x, 1), w);
  };
  Tensor here = numbers({m, n}), there = here.to(cuda());
  const Tensor x = numbers({m, k}), w = numbers({k, n});
  const Tensor far_x = x.to(cuda()), far_w = w.to(cuda());
  auto f = compile(step, replayed);
  for (int i = 0; i < 4; ++i) {
    step(here, x, w);
    f(there, far_x, far_w);
    CHECK(error(there, here) < tolerance(f32));
  }
  CHECK(captures(driver) <= 2);  // state moves at most once, to memory of its own
  CHECK(driver.calls<&Driver::launch>() == 0);
}

TEST_CASE("gpu_library_graph: where the driver refuses another child, the graph is made anew") {
  EMULATED_TEST(machine, driver);
  auto f = compile(early, replayed);
  const Tensor x = numbers({m, k}), w = numbers({k, n}), there = w.to(cuda());
  const Tensor one = x.to(cuda()), two = (x * 2.0f).to(cuda());
  f(one, there);
  driver.fail<&Driver::set_child_node>(910);
  CHECK(error(f(two, there), early(x * 2.0f, w)) < tolerance(f32));
  CHECK(driver.calls<&Driver::instantiate_graph>() == 2);
  CHECK(error(f(two, there), early(x * 2.0f, w)) < tolerance(f32));
  CHECK(driver.calls<&Driver::instantiate_graph>() == 2);
  driver.fail<&Driver::set_child_node>(0);
}
