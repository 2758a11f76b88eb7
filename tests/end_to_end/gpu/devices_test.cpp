// test: deep emulator gpu
// The device on which a compiled function runs, and the error if memory is insufficient.

#include <doctest/doctest.h>
#include <sinter/compile/cache/load_or_compile.hpp>
#include <sinter/device/host/allocation_failure.hpp>
#include <sinter/sinter.hpp>

#include <string>
#include <vector>

#include "cuda_emulator/gpus.hpp"
#include "gpu.hpp"

using namespace gpu;

TEST_CASE("gpu devices: arguments decide where a call runs, also if all of them are scalars") {
  const compiler::FreshCache fresh;
  SINTER_GPUS(machine, 1);
  const auto f = compile([](const Tensor& t) { return t * 2.0f; });
  const Tensor here = sum(ones({6})), there = sum(ones({6}).to(cuda()));
  for (int i = 0; i < 2; ++i) {
    CHECK(f(there).device() == cuda());
    CHECK(f(here).device() == cpu());
  }
  CHECK(f.stats().recompiles == 1);
}

TEST_CASE("gpu devices: prepare() compiles for the current device") {
  const compiler::FreshCache fresh;
  SINTER_GPUS(machine, 1);
  const ScopedDevice scope(cuda());
  auto f = compile([](const Tensor& t) { return exp(t) + 1.0f; });
  f.prepare(TensorSpec{{5, 6}, f32});
  const std::size_t compilations = machine.compilations();
  CHECK(compilations == 1);
  CHECK(f(ones({5, 6}).to(cuda())).device() == cuda());
  CHECK(f.stats().recordings == 1);
}

TEST_CASE("gpu devices: a call in a different ScopedDevice reports why it recompiles") {
  SINTER_GPUS(machine, 1);
  const Tensor x = ones({5, 6}).to(cuda());
  auto f = compile([](const Tensor& t) { return exp(t) + 1.0f; });
  {
    const ScopedDevice scope(cuda());
    f.prepare(TensorSpec{{5, 6}, f32});
  }
  f.freeze();
  const std::string refused = message_of([&] { f(x); });
  CHECK(has(refused, "leaf  ScopedDevice"));
  CHECK(has(refused, "expected cuda:0"));
  CHECK(has(refused, "found cpu"));
  CHECK(has(refused, "make all calls in the scope of the first"));
}

TEST_CASE("gpu devices: captured tensors, and results of a break, may be on the host") {
  SINTER_GPUS(machine, 1);
  const Tensor here = sample({4, 3}), x = here.to(cuda());
  const std::vector<double> expected = elements(here + here);
  const auto copy = [](const Tensor& t) { return from_vector(t.to_vector<float>(), t.shape()); };
  const auto made = custom_op<"test::on_host">({.forward = copy});
  const auto captures = compile([here](const Tensor& t) { return t + here; });
  const auto breaks = compile([made](const Tensor& t) { return t + made(t); });
  const auto disables = compile([copy](const Tensor& t) { return t + disable(copy)(t); });
  for (int i = 0; i < 2; ++i) {
    CHECK(difference(elements(captures(x)), expected) == 0);
    CHECK(difference(elements(breaks(x)), expected) == 0);
    CHECK(difference(elements(disables(x)), expected) == 0);
    CHECK(captures(x).device() == cuda());
    CHECK(breaks(x).device() == cuda());
    CHECK(disables(x).device() == cuda());
  }
}

TEST_CASE("gpu devices: running out of memory reports the purpose, the line and a fix") {
  const compiler::FreshCache fresh;
  SINTER_GPUS(machine, 1);
  const auto f = compile([](const Tensor& t) { return sum(softmax(matmul(t, t), 1), 0); });
  const Tensor x = randn({8, 8}).to(cuda());
  const std::vector<float> expected = f(x).to_vector<float>();
  std::string purposes;
  for (int i = 0;; ++i) {
    const ScopedAllocationFailure failure(i);
    const std::string message = message_of([&] { f(x); });
    if (!failure.happened()) break;
    CHECK(has(message, "not enough memory on cuda:0"));
    CHECK(has(message, "fix   use smaller batches"));
    CHECK(has(message, "devices_test.cpp:"));
    purposes += message;
  }
  CHECK(has(purposes, "for   a result of a compiled call"));
  CHECK(has(purposes, "for   intermediate values"));
  CHECK(f(x).to_vector<float>() == expected);
}

TEST_CASE("gpu devices: running out of memory in an eager expression reports its line") {
  const compiler::FreshCache fresh;
  SINTER_GPUS(machine, 1);
  const Tensor x = randn({8, 8}).to(cuda());
  const auto y = [&] { return softmax(matmul(x, x), 1); };
  const std::string line = sinter::detail::text("devices_test.cpp:", __LINE__ - 1);
  const std::vector<float> expected = y().to_vector<float>();
  std::string purposes;
  for (int i = 0;; ++i) {
    const Tensor again = y();
    const ScopedAllocationFailure failure(i);
    const std::string message = message_of([&] { again.to_vector<float>(); });
    if (!failure.happened()) break;
    purposes += message;
    if (!has(message, "not enough memory on cuda:0")) continue;  // it fits on the host
    const auto at = message.find("\n  at  ");
    REQUIRE(at != std::string::npos);
    CHECK(has(message.substr(at, message.find('\n', at + 1) - at), line));
  }
  CHECK(has(purposes, "for   a result of an expression"));
  CHECK(has(purposes, "for   intermediate values"));
  CHECK_FALSE(has(purposes, "compiled call\n"));
  CHECK(y().to_vector<float>() == expected);
}

namespace {

using Step = Tensor (*)(const Tensor&);

// A tensor combined with values that have no device: numbers of the program, and constants that
// operations create.
constexpr Step with_numbers[] = {
    [](const Tensor& x) { return x * 2.0f; },
    [](const Tensor& x) { return 1.0f - x / 3; },
    [](const Tensor& x) { return (x > 0.25f).to(f32) + (0 == x).to(f32); },
    [](const Tensor& x) { return where(x > 0, x, 0.5f); },
    [](const Tensor& x) { return where(x > 0, 1.0f, 0.0f); },
    [](const Tensor& x) { return clamp(pow(x, 2), 0.1f, 0.5f); },
    [](const Tensor& x) { return zeros_like(x) + ones_like(x) * full_like(x, 3); },
    [](const Tensor& x) { return sum(x) * 2.0f + 1.0f; },
    [](const Tensor& x) { return mean(x, 0) + max(x) * x; },
    [](const Tensor& x) { return triu(x) + tril(x, -1); },
    [](const Tensor& x) { return softmax(x, 1) + layer_norm(x, {4}); },
    [](const Tensor& x) { return one_hot(argmax(x, 1), 4).to(f32); },
    [](const Tensor& x) { return cross_entropy(x, argmax(x, 1)); },
    [](const Tensor& x) { return x + Scalar(2.0f) * x; },
    [](const Tensor& x) { return grad([](const Tensor& t) { return sum(t * t * 3.0f); })(x); },
    [](const Tensor& x) { return grad([](const Tensor&) { return sum(ones({2})); })(x); },
};

}  // namespace

TEST_CASE(
    "gpu devices: numbers, and constants that operations create, are on the device of their "
    "tensors") {
  const compiler::FreshCache fresh;
  SINTER_GPUS(machine, 1);
  const Tensor here = sample({3, 4}), there = here.to(cuda());
  for (const Step& step : with_numbers) {
    CAPTURE(&step - with_numbers);
    const Tensor expected = step(here);
    CHECK(expected.device() == cpu());
    const Tensor on_gpu = step(there);
    CHECK(on_gpu.device() == cuda());
    CHECK(difference(on_gpu, expected) < 1e-5);
    CHECK(on_gpu.device() == cuda());
    const ScopedDevice scope(cuda());
    const Tensor in_scope = step(here);
    CHECK(in_scope.device() == cpu());
    CHECK(difference(in_scope, expected) == 0);
    CHECK(in_scope.device() == cpu());
    const Tensor compiled = compile(step)(here);
    CHECK(compiled.device() == cpu());
    CHECK(difference(compiled, expected) < 1e-5);
  }
}

TEST_CASE("gpu devices: values computed from numbers alone are on the current device") {
  const compiler::FreshCache fresh;
  SINTER_GPUS(machine, 1);
  const Scalar number(2.0f);
  const auto make = [&] {
    return std::vector<Tensor>{
        zeros({3}) + 1.0f,      full({3}, number),     arange(3) * 2, rand({3}) * number,   eye(3),
        linspace(0, number, 3), normal(0.0, 1.0, {3}), randperm(3),   full({3}, 2) * number};
  };
  for (const Tensor& one : make()) CHECK(one.device() == cpu());
  const ScopedDevice scope(cuda());
  for (const Tensor& one : make()) {
    CHECK(one.device() == cuda());
    elements(one);
    CHECK(one.device() == cuda());
  }
}

TEST_CASE(
    "gpu devices: a scalar computed from host tensors can be combined with tensors on a GPU") {
  const compiler::FreshCache fresh;
  SINTER_GPUS(machine, 1);
  const Tensor here = sample({5}), there = here.to(cuda());
  const auto f = [](const Tensor& x, const Tensor& y) {
    return x * sum(y) + mean(y * 2.0f) * max(x) - Scalar(1.0f);
  };
  const Tensor mixed = f(there, here);
  CHECK(mixed.device() == cuda());
  CHECK(difference(mixed, f(here, here)) < 1e-6);
  CHECK(has(message_of([&] { elements(there * here); }), "tensors are on different devices"));
  CHECK(has(message_of([&] { elements(sum(there) * here); }), "on different devices"));
}

TEST_CASE("gpu devices: a host scalar that a GPU has read is still readable elsewhere") {
  SINTER_GPUS(machine, 1);
  const Tensor here = ones({3}), there = here.to(cuda());
  const Scalar steps = 1;
  const Tensor next = steps + full({}, 1);
  const Tensor later = next + 1, scaled = here * next;
  CHECK((there * next).to_vector<float>() == std::vector<float>{2, 2, 2});
  CHECK(later.item<int>() == 3);
  CHECK(scaled.to_vector<float>() == std::vector<float>{2, 2, 2});
  CHECK(next.device() == cpu());
}

TEST_CASE("gpu devices: requesting a missing GPU is an error at the user's line") {
  SINTER_GPUS(machine, 1);
  const std::string last = sinter::detail::text("cuda(", cuda_device_count() - 1, "), or cpu()");
  for (const auto& message :
       {message_of([] { ones({3}).to(cuda(99)); }), message_of([] { memory_stats(cuda(99)); }),
        message_of([] { release_idle_memory(cuda(99)); })}) {
    CAPTURE(message);
    CHECK(has(message, "cuda:99"));
    CHECK(has(message, "fix   use cuda(0)"));
    CHECK(has(message, last));
    CHECK(has(message, "devices_test.cpp:"));
  }
}

TEST_CASE("gpu devices: operations on tensors of different devices throw at their line") {
  SINTER_GPUS(machine, 2);
  const Tensor here = sample({5}), there = here.to(cuda()), far = here.to(cuda(1));
  const Where above = Where::current();
  const std::string refused = message_of([&] { return there + exp(here); });
  CHECK(has(refused, "add: tensors are on different devices"));
  CHECK(has(refused, "f32[5] on cpu"));
  CHECK(has(refused, "devices_test.cpp:" + std::to_string(above.line() + 1)));
  CHECK(has(message_of([&] { return far * there; }), "mul: tensors are on different"));
  CHECK(has(message_of([&] { return sum(there) - here; }), "sub: tensors are on different"));
}

TEST_CASE(
    "gpu devices: if a gradient mixes devices, the error names the line of the operation, not of "
    "the read") {
  SINTER_GPUS(machine, 1);
  const Tensor here = sample({5}), there = here.to(cuda());
  const Where above = Where::current();
  const auto loss = [&here](const Tensor& x) { return sum(sin(x) * here); };
  const std::string refused = message_of([&] { elements(grad(loss)(there)); });
  CHECK(has(refused, "mul: tensors are on different devices"));
  CHECK(has(refused, "devices_test.cpp:" + std::to_string(above.line() + 1)));
}

TEST_CASE("gpu devices: a host scalar can be combined with all devices, read before or not") {
  SINTER_GPUS(machine, 1);
  const Tensor here = sample({5}), there = here.to(cuda());
  CHECK((there * expand(sum(here), {5})).device() == cuda());
  const Tensor number = sum(here);
  const ScopedDevice scope(cuda());
  CHECK((zeros({5}) + number).device() == cuda());
  number.item<float>();
  CHECK((zeros({5}) + number).device() == cuda());
}
