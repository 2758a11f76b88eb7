// test: deep emulator gpu
// State, memory and failures of CUDA Graph replays.

#include <doctest/doctest.h>

#include <cstdlib>

#include "captured_output.hpp"
#include "cuda_graph.hpp"

using namespace gpu_graph;

TEST_CASE("cuda graph state: a training step updates its state in place") {
  GPU_TEST(machine, driver);
  const auto train = [&](Device device) {
    random::manual_seed(7);
    nn::Linear model(8, 4);
    nn::to(model, device);
    optim::AdamW adamw{.learning_rate = 0.1f};
    const Tensor x = sample({5, 8}).to(device), y = sample({5, 4}, 0.2f).to(device);
    auto step = compile(
        [](nn::Linear& m, optim::AdamW& o, const Tensor& a, const Tensor& b) {
          auto [loss, gradients] = value_and_grad(m, [&] { return mse_loss(m(a), b); });
          o.step(m, gradients);
          return loss;
        },
        replayed);
    std::vector<float> numbers;
    const void* place = nullptr;
    int launches = 0;
    for (int i = 0; i < 5; ++i) {
      if (i == 3) adamw.learning_rate = 0.05f;
      numbers.push_back(step(model, adamw, x, y).item<float>());
      const void* const now = model.weight.lazy()->elements[0].data();
      if (i > 1) CHECK(now == place);
      if (i == 0) launches = driver.calls<&Driver::launch>();  // of the initial state
      place = now;
    }
    CHECK(driver.calls<&Driver::launch>() == launches);
    const std::vector<float> weights = model.weight.to_vector<float>();
    numbers.insert(numbers.end(), weights.begin(), weights.end());
    return numbers;
  };
  const std::vector<float> here = train(cpu()), there = train(cuda());
  for (std::size_t i = 0; i < here.size(); ++i) CHECK(there[i] == doctest::Approx(here[i]));
  CHECK(machine.graph_launches() == 5);
}

TEST_CASE("cuda graph state: only a row of a cache is written, unless the cache is shared") {
  GPU_TEST(machine, driver);
  auto f = compile(
      [](Tensor& cache, const Tensor& row, const Tensor& at) {
        cache = set(cache, {all, at}, row);
      },
      replayed);
  const auto run = [&](Device device) {
    Tensor cache = sample({4, 512, 8}).to(device), held;
    std::vector<float> numbers;
    for (const std::int64_t at : {3, 511, 0, -1, 7, 8}) {
      if (at == 7) held = cache;
      f(cache, sample({4, 8}, static_cast<float>(at)).to(device), full({}, at).to(device));
      CHECK(f.stats().bytes_written <= 4 * 8 * 4);
      if (at == 7) continue;
      const std::vector<float> now = cache.to_vector<float>();
      numbers.insert(numbers.end(), now.begin(), now.end());
    }
    const std::vector<float> before = held.to_vector<float>();
    numbers.insert(numbers.end(), before.begin(), before.end());
    CHECK_THROWS_AS(f(cache, sample({4, 8}).to(device), full({}, 512).to(device)), IndexError);
    const std::vector<float> after = cache.to_vector<float>();
    numbers.insert(numbers.end(), after.begin(), after.end());
    return numbers;
  };
  CHECK(run(cuda()) == run(cpu()));
  CHECK(machine.graph_launches() >= 7);
}

TEST_CASE(
    "cuda graph state: a row that an earlier kernel computes is written by the second graph") {
  GPU_TEST(machine, driver);
  const auto write = [](Tensor& cache, const Tensor& row, const Tensor& at) {
    cache = set(cache, {at}, softmax(row, 0));
  };
  auto f = compile(write, replayed);
  Tensor here = sample({8, 3}), there = here.to(cuda());
  for (const std::int64_t at : {3, 0, -1, 7}) {
    const Tensor row = sample({3}, 0.1 * static_cast<double>(at));
    write(here, row, full({}, at));
    f(there, row.to(cuda()), full({}, at).to(cuda()));
    CHECK(difference(there, here) < 1e-6f);
  }
  CHECK_THROWS_AS(f(there, sample({3}).to(cuda()), full({}, std::int64_t{8}).to(cuda())),
                  IndexError);
  CHECK(difference(there, here) < 1e-6f);
  CHECK(driver.calls<&Driver::instantiate_graph>() == 2);
}

TEST_CASE("cuda graph state: two caches and the attention that reads them are two graphs") {
  GPU_TEST(machine, driver);
  auto f = compile(
      [](Tensor& k, Tensor& v, const Tensor& row, const Tensor& at) {
        k = set(k, {all, at}, row);
        v = set(v, {all, at}, row * 2.0f);
        return scaled_dot_product_attention(unsqueeze(row, 1), k, v, {});
      },
      replayed);
  const auto run = [&](Device device) {
    Tensor k = sample({2, 24, 8}).to(device), v = sample({2, 24, 8}, 0.2f).to(device);
    std::vector<Tensor> found;
    for (const std::int64_t at : {0, 23}) {
      const Tensor row = sample({2, 8}, static_cast<float>(at) + 0.1f).to(device);
      found.push_back(f(k, v, row, full({}, at).to(device)).to(cpu()));
    }
    found.push_back(k.to(cpu()));
    return found;
  };
  const std::vector<Tensor> here = run(cpu()), there = run(cuda());
  for (std::size_t i = 0; i < here.size(); ++i) CHECK(difference(there[i], here[i]) < 1e-5f);
}

TEST_CASE(
    "cuda graph state: a fault in the data is thrown with its line and leaves state unchanged") {
  GPU_TEST(machine, driver);
  auto f = compile([](Tensor& state, const Tensor& table,
                      const Tensor& index) { state += sum(gather(table, 0, index)); },
                   replayed);
  const std::string line = text("cuda_graph_state_test.cpp:", __LINE__ - 2);
  Tensor state = sample({3}).to(cuda());
  const Tensor table = sample({9}).to(cuda());
  const auto at = [](std::int64_t i) { return list(std::vector<std::int64_t>{1, i}).to(cuda()); };
  f(state, table, at(3));
  const std::vector<float> after = state.to_vector<float>();
  std::string message;
  try {
    f(state, table, at(12));
  } catch (const IndexError& error) {
    message = error.what();
  }
  CHECK(has(message, "index out of range"));
  CHECK(has(message, "12"));
  CHECK(has(message, line));
  CHECK(state.to_vector<float>() == after);
  f(state, table, at(3));  // the next call works
  CHECK(state.to_vector<float>() != after);
  CHECK(driver.calls<&Driver::launch>() == 0);
  CHECK(machine.graph_launches() == 5);  // the part that can fault, and the updates if it did not
}

TEST_CASE("cuda graph state: a function without state updates needs no second graph") {
  GPU_TEST(machine, driver);
  auto f = compile([](const Tensor& table, const Tensor& index) { return gather(table, 0, index); },
                   replayed);
  const Tensor table = sample({9}).to(cuda());
  const auto at = [](std::int64_t i) { return list(std::vector<std::int64_t>{1, i}).to(cuda()); };
  CHECK(f(table, at(3)).to_vector<float>() == gather(table, 0, at(3)).to_vector<float>());
  CHECK_THROWS_AS(f(table, at(12)), IndexError);
  CHECK(driver.calls<&Driver::instantiate_graph>() == 1);
  CHECK(machine.graph_launches() == 2);
}

TEST_CASE("cuda graph state: a graph does not refer to memory freed since the last call") {
  GPU_TEST(machine, driver);
  auto f = compile(mixed, replayed);
  const Tensor x = sample({5, 9});
  const Tensor expected = mixed(x);
  for (int i = 0; i < 3; ++i) {
    CHECK(difference(f(x.to(cuda())), expected) < 1e-5f);
    release_idle_memory(cuda());  // frees the memory of the input and the result
    const Tensor between = sample({7 + i, 31}).to(cuda());
    CHECK(difference(f(x.to(cuda())), expected) < 1e-5f);
  }
  CHECK(driver.calls<&Driver::free>() > 0);
  CHECK(first_report(machine) == "");
}

TEST_CASE("cuda graph state: driver failures do not leak") {
  GPU_TEST(machine, driver);
  auto f = compile([](Tensor& state, const Tensor& t) { state += sum(t, 1); }, replayed);
  Tensor state = sample({5}).to(cuda());
  const Tensor x = sample({5, 9}).to(cuda()), y = sample({5, 9}, 0.2f).to(cuda());
  f(state, x);
  std::vector<float> before = state.to_vector<float>();
  driver.fail<&Driver::set_kernel_node>(1);
  CHECK_THROWS_AS(f(state, y), DeviceError);
  driver.fail<&Driver::set_kernel_node>(0);
  driver.fail<&Driver::launch_graph>(1);
  CHECK_THROWS_AS(f(state, y), DeviceError);
  driver.fail<&Driver::launch_graph>(0);
  CHECK(state.to_vector<float>() == before);
  f(state, y);
  const Tensor expected = list(before) + sum(sample({5, 9}, 0.2f), 1);
  CHECK(difference(state, expected) < 1e-5f);
}

TEST_CASE("cuda graph state: if the driver cannot create a graph, kernels are launched") {
  GPU_TEST(machine, driver);
  auto f = compile(mixed, replayed);
  const Tensor x = sample({5, 9});
  driver.fail<&Driver::instantiate_graph>(801);
  setenv("SINTER_LOGS", "cudagraph", 1);
  const std::string told =
      testing::said([&] { CHECK(difference(f(x.to(cuda())), mixed(x)) < 1e-5f); });
  unsetenv("SINTER_LOGS");
  CHECK(has(told, "the driver makes no graph: "));
  driver.fail<&Driver::instantiate_graph>(0);
  CHECK(difference(f(x.to(cuda())), mixed(x)) < 1e-5f);
  CHECK(driver.calls<&Driver::instantiate_graph>() == 1);
  CHECK(driver.calls<&Driver::launch>() > 0);
  CHECK(driver.calls<&Driver::destroy_graph>() == 1);
}
