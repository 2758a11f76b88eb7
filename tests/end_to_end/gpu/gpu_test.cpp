// test: alone emulator gpu
// What runs on the host runs on a GPU, emulated or real: by x.to(cuda()) or ScopedDevice.

#include <doctest/doctest.h>
#include <sinter/compile/cache/load_or_compile.hpp>
#include <sinter/sinter.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "cuda_emulator/gpus.hpp"
#include "gpu.hpp"

using namespace gpu;

#define GPU_TEST(machine, count)    \
  const compiler::FreshCache fresh; \
  SINTER_GPUS(machine, count)

TEST_CASE("gpu: results of which only one is NaN differ") {
  using Numbers = std::vector<double>;
  CHECK(difference(Numbers{1, NAN, INFINITY}, Numbers{1, NAN, INFINITY}) == 0);
  for (const double other : Numbers{2, INFINITY, -INFINITY}) {
    CHECK(std::isinf(difference(Numbers{NAN, 1}, Numbers{other, 1})));
    CHECK(std::isinf(difference(Numbers{1, other}, Numbers{1, NAN})));
  }
  CHECK(difference(Numbers{3, 1}, Numbers{2, 1}) == 1);
}

TEST_CASE("gpu: a tensor is moved, read, and moved back") {
  GPU_TEST(machine, 2);
  const Tensor x = sample({3, 4});
  const Tensor y = x.to(cuda(1));
  CHECK(x.device() == cpu());
  CHECK(y.device() == cuda(1));
  CHECK(y.to(cuda(0)).to(cpu()).to_vector<float>() == x.to_vector<float>());
  CHECK(y.to(cuda(1)).lazy() == y.lazy());
  CHECK(y.data<float>() == y.data<float>());
  CHECK(format(y) == format(x));
  CHECK(sample({1}).to(cuda()).item<float>() == -1.0f);
  CHECK(machine.launches() == 0);
}

TEST_CASE("gpu: operations outside of compiled functions run where their operands are") {
  GPU_TEST(machine, 1);
  const Tensor x = sample({5, 7});
  const auto f = [](const Tensor& t) { return sum(relu(t * 2.0f + 1.0f), 1); };
  const Tensor y = f(x.to(cuda()));
  CHECK(y.device() == cuda());
  CHECK(difference(y, f(x)) < 1e-5f);
  CHECK(machine.launches() > 0);
}

TEST_CASE("gpu: a compiled function has a recording for each device") {
  GPU_TEST(machine, 1);
  auto f = compile([](const Tensor& t) { return softmax(t, 1) * 3.0f; });
  const Tensor x = sample({4, 33}), there = x.to(cuda());
  const Tensor here = f(x);
  CHECK(here.device() == cpu());
  const Tensor y = f(there);
  CHECK(y.device() == cuda());
  CHECK(difference(y, here) < 1e-6f);
  CHECK(f.stats().recompiles == 1);
  const std::size_t compilations = machine.compilations();
  CHECK(difference(f(there + 1.0f), here) < 1e-6f);
  CHECK(difference(f(x), here) == 0);
  CHECK(f.stats().recompiles == 1);
  CHECK(machine.compilations() == compilations + 1);  // of `there + 1.0f`
  CHECK(f.stats().eager_calls == 0);
}

TEST_CASE("gpu: arguments must be on one device, except scalars") {
  GPU_TEST(machine, 1);
  auto f = compile([](const Tensor& a, const Tensor& b) { return a * b; });
  const Tensor x = sample({6});
  const std::string message = message_of([&] { f(x.to(cuda()), x); });
  CHECK(has(message, "arguments are on different devices"));
  CHECK(has(message, "argument 1, f32[6] on cpu"));
  CHECK(has(message_of([&] { (x.to(cuda()) + x).to_vector<float>(); }), "different devices"));
  const Tensor two = sum(list(std::vector<float>{2.0f}));
  CHECK(difference(f(x.to(cuda()), two), x * 2.0f) == 0);
  CHECK(difference(x.to(cuda()) * two, x * 2.0f) == 0);
}

TEST_CASE("gpu: a captured tensor of another device is an error that names the line") {
  GPU_TEST(machine, 2);
  const Tensor x = sample({6}), here = x.to(cuda()), there = (x + 1.0f).to(cuda(1));
  const auto scaled = [&](const Tensor& t) { return t * there; };
  const std::string line = text("gpu_test.cpp:", __LINE__ - 1);
  const auto reversed = [&](const Tensor& t) { return there * t + here; };
  const auto updated = [&](Tensor& t) { t = t * 2.0f, t = t + sum(there); };
  for (const Backend backend : {Backend::fused, Backend::aot_eager, Backend::eager}) {
    const CompileOptions options{.backend = backend};
    const auto refused = [&](auto function, Tensor argument) {
      const std::string message = message_of([&] { function(argument); });
      CHECK(has(message, "the function uses a tensor of another device"));
      CHECK(has(message, "gpu_test.cpp:"));
      return message;
    };
    const std::string message = refused(compile(scaled, options), here);
    CHECK(has(message, "f32[6] on cuda:1"));
    CHECK(has(message, "others on cuda:0"));
    CHECK(has(message, line));
    refused(compile(assume_pure(scaled), options), here);
    refused(compile(reversed, options), here);
    refused(compile(updated, options), here);
    CHECK(difference(compile(scaled, options)(there), (x + 1.0f) * (x + 1.0f)) < 1e-5f);
  }
}

TEST_CASE("gpu: page-locked memory may be overwritten after a copy from it returns") {
  GPU_TEST(machine, 1);
  void* pinned = nullptr;
  sample({1}).to(cuda());  // makes a context current
  REQUIRE(cuda_driver()->allocate_host(&pinned, 5 * sizeof(float), 0) == 0);
  auto* const numbers = static_cast<float*>(pinned);
  std::fill(numbers, numbers + 5, 3.0f);
  const Tensor there = view(numbers, {5}).to(cuda());
  std::fill(numbers, numbers + 5, 4.0f);
  CHECK(there.to_vector<float>() == std::vector<float>(5, 3.0f));
  cuda_driver()->free_host(pinned);
}

TEST_CASE("gpu: a training step agrees with the host, and updates in place") {
  GPU_TEST(machine, 1);
  const auto train = [](Device device) {
    random::manual_seed(7);
    nn::Linear model(8, 4);
    nn::to(model, device);
    optim::AdamW adamw{.learning_rate = 0.1f};
    const Tensor x = sample({5, 8}).to(device), y = sample({5, 4}, 0.2f).to(device);
    auto step = compile([](nn::Linear& m, optim::AdamW& o, const Tensor& a, const Tensor& b) {
      auto [loss, gradients] = value_and_grad(m, [&] { return mse_loss(m(a), b); });
      o.step(m, gradients);
      return loss;
    });
    std::vector<float> losses;
    for (int i = 0; i < 4; ++i) losses.push_back(step(model, adamw, x, y).item<float>());
    CHECK(model.weight.device() == device);
    CHECK(step.stats().recompiles == 0);
    return losses;
  };
  const std::vector<float> here = train(cpu()), there = train(cuda());
  for (std::size_t i = 0; i < here.size(); ++i) CHECK(there[i] == doctest::Approx(here[i]));
  CHECK(there[3] < there[0]);
}

TEST_CASE("gpu: one recording serves every batch size") {
  GPU_TEST(machine, 1);
  auto f = compile([](const Tensor& t) { return tanh(t) + sum(t, 1, true); });
  Tensor x = sample({3, 8}).to(cuda());
  mark_dynamic(x, 0);
  f(x);
  const std::size_t compilations = machine.compilations();
  for (const int batch : {1, 4, 11}) {
    const Tensor other = sample({batch, 8});
    CHECK(difference(f(other.to(cuda())), tanh(other) + sum(other, 1, true)) < 1e-5f);
  }
  CHECK(f.stats().recompiles == 0);
  CHECK(machine.compilations() == compilations);
}

TEST_CASE("gpu: a fault in the data is thrown with its line and leaves state unchanged") {
  GPU_TEST(machine, 1);
  auto f = compile([](Tensor& state, const Tensor& table, const Tensor& index) {
    state += sum(gather(table, 0, index));
  });
  Tensor state = sample({3}).to(cuda());
  const std::vector<float> before = state.to_vector<float>();
  const Tensor table = sample({9}).to(cuda());
  const auto at = [](std::int64_t i) { return list(std::vector<std::int64_t>{1, i}).to(cuda()); };
  f(state, table, at(3));
  CHECK(state.to_vector<float>() != before);
  const std::vector<float> after = state.to_vector<float>();
  const std::string message = message_of([&] { f(state, table, at(12)); });
  CHECK(has(message, "index out of range"));
  CHECK(has(message, "12"));
  CHECK(has(message, "gpu_test.cpp:"));
  CHECK(state.to_vector<float>() == after);
}

TEST_CASE("gpu: branches and loops run") {
  GPU_TEST(machine, 1);
  auto f = compile([](const Tensor& t, const Tensor& limit) {
    const Tensor grown = while_loop([&](const Tensor& v) { return sum(v) < limit; },
                                    [](const Tensor& v) { return v * 2.0f; }, t);
    return cond(
        sum(t) > 2.0f, [&] { return grown + 1.0f; }, [&] { return grown - 1.0f; });
  });
  const Tensor x = list(std::vector<float>{1, 2, 3}), limit = sum(list(std::vector<float>{50}));
  CHECK(difference(f(x.to(cuda()), limit), f(x, limit)) == 0);
}

TEST_CASE("gpu: ScopedDevice creates tensors on the GPU, equal to those on the host") {
  GPU_TEST(machine, 2);
  random::manual_seed(3);
  const Tensor here = randn({50});
  here.to_vector<float>();
  random::manual_seed(3);
  Tensor there, data;
  {
    const ScopedDevice scope(cuda(1));
    there = randn({50});
    data = list(std::vector<float>{1, 2});
  }
  CHECK(there.device() == cuda(1));
  CHECK(data.device() == cuda(1));
  CHECK(difference(there, here) < 1e-6f);
}

TEST_CASE("gpu: a compiled function creates tensors on its caller's device") {
  GPU_TEST(machine, 1);
  auto f = compile([] { return ones({3}) * 2.0f; });
  CHECK(f().device() == cpu());
  {
    const ScopedDevice scope(cuda());
    CHECK(f().device() == cuda());
  }
  CHECK(f().device() == cpu());
}

TEST_CASE("gpu: a function that reads on the host continues with the values") {
  GPU_TEST(machine, 1);
  auto f = compile([](const Tensor& t) {
    const Tensor doubled = t * 2.0f;
    return sum(doubled).item<float>() > 0 ? doubled + 1.0f : doubled - 1.0f;
  });
  const Tensor x = sample({6}), y = f(x.to(cuda()));
  CHECK(y.device() == cuda());
  CHECK(difference(y, f(x)) == 0);
}

TEST_CASE("gpu: threads call a function concurrently, each on its own stream") {
  GPU_TEST(machine, 1);
  auto f = compile([](const Tensor& t, const Tensor& w) { return matmul(t, w); });
  const Tensor x = sample({4, 6}).to(cuda()), w = sample({6, 5}).to(cuda());
  const std::vector<float> expected = f(x, w).to_vector<float>();
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 5; ++k) wrong += f(x, w).to_vector<float>() != expected;
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("gpu: the eager backend is the interpreter, on copies") {
  GPU_TEST(machine, 1);
  auto f = compile([](const Tensor& t) { return exp(t) + 1.0f; }, {.backend = Backend::eager});
  const Tensor x = sample({6}), y = f(x.to(cuda()));
  CHECK(y.device() == cuda());
  CHECK(difference(y, f(x)) == 0);
  CHECK(machine.launches() == 0);
}
