#include <doctest/doctest.h>
#include <sinter/compile/cache/load_or_compile.hpp>
#include <sinter/jit/eager/evaluator.hpp>
#include <sinter/runtime/interpreter/interpret.hpp>

#include "cuda_emulator/emulator.hpp"
#include "jit/support.hpp"

using namespace testing;

TEST_CASE("evaluator: is installed before main() starts, and stays the same") {
  Evaluator* const evaluator = current_evaluator();
  REQUIRE(evaluator != nullptr);
  CHECK(jit::install_evaluator());
  CHECK(current_evaluator() == evaluator);
}

TEST_CASE("evaluator: a read outside of compiled functions is interpreted") {
  const Tensor x = vector({1, 2});
  const Tensor y = x * 2.0f + 1.0f;
  runtime::interpreter_is_forbidden() = true;
  CHECK_THROWS_AS(y.to_vector<float>(), InternalError);
  runtime::interpreter_is_forbidden() = false;
  CHECK(near(y, {3, 5}));
}

TEST_CASE("evaluator: on a GPU, expressions that differ in numbers share a program" *
          doctest::skip(!emulator::runs_kernels)) {
  const compiler::FreshCache fresh;
  emulator::Emulator machine;
  std::size_t before = 0;
  const auto compilations = [&] {
    return machine.compilations() - std::exchange(before, machine.compilations());
  };
  const Tensor here = tensor({1, -2, 3, -4, 5, -6}, {3, 2});
  const Tensor there = here.to(cuda());
  (void)compilations();
  const auto agree = [&](auto expression) {
    for (int i = 0; i < 5; ++i) {
      CHECK(expression(there, i).template to_vector<float>() ==
            expression(here, i).template to_vector<float>());
    }
    return compilations();
  };
  CHECK(agree([](const Tensor& x, int i) { return x * (2.5f + static_cast<float>(i)); }) == 2);
  CHECK(agree([](const Tensor& x, int i) { return where(gt(x, i - 2), x, -0.5f); }) == 2);
  CHECK(agree([](const Tensor& x, int i) { return (x.to(bf16) + 0.1f * float(i)).to(f32); }) == 2);
  CHECK(agree([](const Tensor& x, int i) {
          return x[{Slice{i % 2, i % 2 + 2}, 1 - i % 2}] + zeros({2});
        }) == 2);
  // Every draw has another offset; the first two are compiled as constants.
  const auto draws = [&](Device device) {
    const ScopedDevice scope(device);
    random::manual_seed(3);
    std::vector<float> result;
    for (int i = 0; i < 6; ++i) {
      const std::vector<float> numbers = rand({5}).to_vector<float>();
      result.insert(result.end(), numbers.begin(), numbers.end());
    }
    return result;
  };
  CHECK(draws(cuda()) == draws(cpu()));
  CHECK(compilations() <= 3);
}

TEST_CASE("evaluator: expressions that differ in a number or a tensor are distinguished" *
          doctest::skip(!emulator::runs_kernels)) {
  const compiler::FreshCache fresh;
  const emulator::Emulator machine;
  const ScopedDevice scope(cuda());
  const Tensor x = tensor({1, -2, 3}, {3}), factor = full({}, 3.0f);
  evaluate(factor);
  CHECK(near(x * 2.0f, {2, -4, 6}));
  CHECK(near(x * factor, {3, -6, 9}));
  CHECK(near(x * 4.0f, {4, -8, 12}));
  CHECK(near(x * factor, {3, -6, 9}));
}
