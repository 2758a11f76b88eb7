// test: deep emulator
// Compiled functions and tensors free all GPU resources when they are destroyed, also after errors:
// memory, graphs, streams, events, modules.

#include <doctest/doctest.h>
#include <sinter/compile/cache/load_or_compile.hpp>

#include <stdexcept>
#include <thread>

#include "cuda_emulator/emulator.hpp"
#include "gpu.hpp"

using namespace gpu;

namespace {

const CompileOptions ways[]{{}, {.mode = Mode::reduce_overhead}};

// Nothing is alive, and all memory of `device` is freed.
void check_gone(const emulator::Emulator& machine, Device device) {
  CHECK(machine.held().graphs == 0);
  CHECK(machine.held().executables == 0);
  CHECK(memory_stats(device).live_bytes == 0);
  release_idle_memory(device);
  CHECK(machine.used_memory(device.index()) == 0);
}

// Runs `body` twice; the second run must not leave further resources behind.
template <class Action>
void check_twice(const emulator::Emulator& machine, Device device, const Action& action) {
  action();
  check_gone(machine, device);
  const emulator::Held held = machine.held();
  action();
  check_gone(machine, device);
  CHECK(machine.held() == held);
}

struct Net {
  SINTER_MODULE(Net, first, second)
  nn::Linear first{4, 8}, second{8, 2};
  Tensor operator()(const Tensor& x) const { return second(tanh(first(x))); }
};

// Training steps with batches of two sizes.
void train(Device device, const CompileOptions& options) {
  Net net;
  nn::to(net, device);
  const auto step = compile(
      [](Net& n, const Tensor& x) {
        const auto loss = [&](const Net& m) { return mean(square(m(x))); };
        const auto [value, gradient] = value_and_grad(loss)(n);
        n.first.weight = n.first.weight - 0.1f * gradient.first.weight;
        n.second.weight = n.second.weight - 0.1f * gradient.second.weight;
        return value;
      },
      options);
  float before = 1e9f;
  for (const std::int64_t rows : {3, 3, 5, 5}) {
    Tensor x = ones({rows, 4}).to(device);
    mark_dynamic(x, 0);
    const float now = step(net, x).item<float>();
    CHECK(now < before);
    before = now;
  }
}

// A scan in a graph has its own control words and conditions.
Tensor sums(const Tensor& x) {
  const auto add = [](const Tensor& before, const Tensor& row) {
    const Tensor next = before + sum(softmax(row, 0));
    return std::pair{next, next};
  };
  return scan(add, 0.0f, x).second;
}

}  // namespace

TEST_CASE("gpu leaks: compiled functions free what they hold, on each GPU") {
  const compiler::FreshCache fresh;
  const emulator::Emulator machine;
  for (const CompileOptions& way : ways) {
    for (const Device device : {cuda(), cuda(1)}) {
      check_twice(machine, device, [&] { train(device, way); });
      check_twice(machine, device, [&] {
        const auto f = compile(sums, way);
        CHECK(f(ones({3, 4}).to(device)).to_vector<float>() == std::vector<float>{1, 2, 3});
      });
    }
  }
}

TEST_CASE("gpu leaks: a recreated function reuses compiled kernels, with its own graphs") {
  const compiler::FreshCache fresh;
  const emulator::Emulator machine;
  const auto use = [&](int functions) {
    std::vector<decltype(compile(sums, ways[1]))> all;
    for (int i = 0; i < functions; ++i) {
      all.push_back(compile(sums, ways[1]));
      CHECK(elements(all.back()(ones({3, 4}).to(cuda())))[2] == doctest::Approx(3));
    }
    CHECK(machine.held().executables == 1);  // they share a program
    all.erase(all.begin(), all.end() - 1);
    CHECK(machine.held().executables == 1);
    CHECK(elements(all.back()(ones({3, 4}).to(cuda())))[2] == doctest::Approx(3));
  };
  use(1);
  const std::size_t compilations = machine.compilations();
  use(3);
  check_gone(machine, cuda());
  CHECK(machine.compilations() == compilations);
}

TEST_CASE("gpu leaks: threads leave their streams for reuse, and nothing else") {
  const compiler::FreshCache fresh;
  const emulator::Emulator machine;
  for (const CompileOptions& way : ways) {
    check_twice(machine, cuda(), [&] {
      const auto f = compile(sums, way);
      std::vector<std::jthread> threads;
      for (int i = 0; i < 3; ++i) {
        threads.emplace_back([&] { f(ones({3, 4}).to(cuda())).to_vector<float>(); });
        threads.back().join();
      }
    });
  }
}

TEST_CASE("gpu leaks: errors of recordings, of data and of memory leave nothing behind") {
  const compiler::FreshCache fresh;
  const emulator::Emulator machine({.memory = std::size_t{4} << 20});
  for (const CompileOptions& way : ways) {
    check_twice(machine, cuda(), [&] {
      const Tensor x = ones({4, 4}).to(cuda());
      const auto throws = compile(
          [](const Tensor& t) -> Tensor {
            const Tensor y = exp(t) + sum(t);
            throw std::runtime_error(y.ndim() == 2 ? "in a recording" : "");
          },
          way);
      CHECK_THROWS_AS(throws(x), std::runtime_error);
      const auto takes =
          compile([](const Tensor& t,
                     const Tensor& at) { return cumsum(softmax(index_select(t, 0, at), 1), 0); },
                  way);
      const Tensor wrong = list(std::vector<std::int64_t>{1, 9}).to(cuda());
      for (int i = 0; i < 3; ++i) CHECK_THROWS_AS(takes(x, wrong), IndexError);
      const auto wide = compile(
          [](const Tensor& t) {
            return cumsum(expand(t, {1024, 1024}), 1);
          },
          way);
      CHECK_THROWS_AS(wide(ones({1, 1024}).to(cuda())).to_vector<float>(), ValueError);
      CHECK_THROWS_AS(wide(ones({1, 1024}).to(cuda())).to_vector<float>(), ValueError);
    });
  }
}

TEST_CASE("gpu leaks: kernels are unloaded after reset()") {
  const compiler::FreshCache fresh;
  const emulator::Emulator machine({.devices = 1});
  const auto use = [](float by) {
    compile([by](const Tensor& t) { return softmax(t * by, 1); })(ones({2, 3}).to(cuda()))
        .to_vector<float>();
  };
  use(1.5f);
  const std::size_t modules = machine.held().modules;
  for (int i = 0; i < 3; ++i) {
    reset();
    use(2.5f + static_cast<float>(i));
    CHECK(machine.held().modules <= modules);
  }
}
