// test: deep emulator
// What a library does not compute, and what happens where it fails.

#include <doctest/doctest.h>
#include <sinter/sinter.hpp>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "captured_output.hpp"
#include "library_products.hpp"

using namespace library_products;

TEST_CASE("gpu library: kernels compute what it cannot, or what the program wants exactly") {
  LIBRARY_TEST();
  const Tensor x = sample({m, k}), y = sample({k, n}), r = sample({m, n});
  const auto product = [](const Tensor& t, const Tensor& u) { return matmul(t, u); };
  const Tensor exact = compile(product, {.numerics = Numerics::strict})(x.to(cuda()), y.to(cuda()));
  CHECK(relative_difference(exact, matmul(x, y)) < tolerance(f32));
  CHECK(machine.products() == 0);
  const auto after = [](const Tensor& t, const Tensor& u) { return sigmoid(matmul(t, u)); };
  const auto late = [](const Tensor& t, const Tensor& u, const Tensor& v) {
    return v + relu(matmul(t, u));
  };
  const auto column = [](const Tensor& t, const Tensor& u, const Tensor& v) {
    return matmul(t, u) * 2.0f + v[{all, Slice{0, 1}}];
  };
  CHECK(products(machine, after, x, y) == 0);
  CHECK(products(machine, late, x, y, r) == 0);
  CHECK(products(machine, column, x, y, r) == 0);
  CHECK(products(machine, product, sample({8, 600}), sample({600, 500})) == 0);
  CHECK(products(machine, product, sample({24, 30}), sample({30, 40})) == 0);
  CHECK(machine.heuristics() == 0);
}

TEST_CASE("gpu library: numbers that the program rounds before are no operands as they lie") {
  LIBRARY_TEST();
  const auto f = [](const Tensor& t, const Tensor& u) { return matmul(t.to(bf16), u.to(bf16)); };
  CHECK(products(machine, f, sample({m, k}), sample({k, n})) == 0);
}

TEST_CASE("gpu library: without the library, kernels compute everything, which is said once") {
  LIBRARY_TEST({.cublaslt = false});
  setenv("SINTER_LOGS", "perf", 1);
  const auto product = [](const Tensor& t, const Tensor& u) { return matmul(t, u); };
  const std::string log = testing::said([&] {
    CHECK(products(machine, product, sample({m, k}), sample({k, n})) == 0);
    CHECK(products(machine, product, sample({m, k}), sample({k, n + 1})) == 0);
  });
  unsetenv("SINTER_LOGS");
  const std::string line = "generated kernels compute all products on cuda:0";
  CHECK(has(log, line));
  CHECK(log.find(line) == log.rfind(line));
  CHECK(machine.heuristics() == 0);
}

TEST_CASE("gpu library: without memory to work in, the library does without") {
  const auto product = [](const Tensor& t, const Tensor& u) { return matmul(t, u); };
  for (const std::size_t memory : {std::size_t{1} << 30, std::size_t{5} << 18}) {
    LIBRARY_TEST({.devices = 1, .memory = memory});
    CHECK(products(machine, product, sample({m, 272}), sample({272, n})) == 1);
    CHECK(machine.heuristics() == (memory == std::size_t{1} << 30 ? 1 : 2));
  }
}

TEST_CASE("gpu library: what the library refuses is a kernel; its failures name the line") {
  LIBRARY_TEST();
  static int status = 0;
  static CublasLt table;  // used until the emulated machine is destroyed
  table = *cublaslt();
  table.multiply = [](void*, void*, const void*, const void*, void*, const void*, void*,
                      const void*, const void*, void*, void*, void*, const void*, void*,
                      std::size_t, void*) { return status; };
  const CublasLt* const before = replace_cublaslt(&table);
  const auto product = [](const Tensor& t, const Tensor& u) { return matmul(t, u); };
  const std::string line = text("gpu_library_limits_test.cpp:", __LINE__ - 1);
  const Tensor x = sample({m, k}).to(cuda()), y = sample({k, n}).to(cuda());
  status = 15;  // not supported
  auto f = compile(product);
  CHECK(relative_difference(f(x, y), matmul(sample({m, k}), sample({k, n}))) < tolerance(f32));
  f(x, y);
  CHECK(machine.heuristics() == 1);
  status = 13;  // execution failed
  const std::string message = message_of([&] {
    f(sample({m + 1, k}).to(cuda()), y).to_vector<float>();
  });
  CHECK(has(message, "cuBLASLt reports an error"));
  CHECK(has(message, "f32 145 x 136 by 136 x 152"));
  CHECK(has(message, "CUBLAS_STATUS_EXECUTION_FAILED 13"));
  CHECK(has(message, line));
  replace_cublaslt(before);
}

TEST_CASE("gpu library: threads share a library plan, each with its own stream") {
  LIBRARY_TEST();
  auto f = compile([](const Tensor& t, const Tensor& u) { return matmul(t, u); });
  const Tensor x = sample({m, 272}).to(cuda()), y = sample({272, n}).to(cuda());
  const Tensor expected = matmul(sample({m, 272}), sample({272, n}));
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 3; ++j) wrong += relative_difference(f(x, y), expected) < 1e-5 ? 0 : 1;
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(machine.products() == 9);
  CHECK(machine.heuristics() == 1);
}
