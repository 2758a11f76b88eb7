// Kernels that make NaN or infinity of finite numbers: the error, and what is none.

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include <sinter/jit/lower/check_numerics.hpp>
#include <sinter/sinter.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

template <class F>
std::string error_of(F f) {
  const ScopedNumericsCheck check;
  try {
    f();
  } catch (const ValueError& error) {
    return error.what();
  }
  return {};
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Tensor numbers(std::vector<float> list) {
  const auto count = static_cast<std::int64_t>(list.size());
  return from_vector(std::move(list), {count});
}

Tensor log_of(const Tensor& x) { return exp(log(x)) + log(x) * 2; }

}  // namespace

TEST_CASE("check_numerics: a compiled function, with line, operation, element, operands, kernel") {
  const auto f = compile(log_of);
  const std::string error = error_of([&] { f(numbers({1, 2, 0, 3})); });
  CAPTURE(error);
  CHECK(says(error, "log: the result of log is -inf, for finite numbers"));
  CHECK(says(error, "element [2]"));
  CHECK(says(error, "operand 0 0"));
  CHECK(says(error, "kernel "));
  CHECK(says(error, "check_numerics_test.cpp:"));
  CHECK(error_of([&] { f(numbers({1, 2, 4, 3})); }).empty());
  CHECK_NOTHROW(f(numbers({0})));  // without a check
}

TEST_CASE("check_numerics: expressions outside of compiled functions") {
  CHECK(says(error_of([] { print(log(numbers({0})) + 1); }), "-inf"));
  CHECK(says(error_of([] { print(numbers({1e30f}) * numbers({1e30f})); }), "mul"));
}

TEST_CASE("check_numerics: a result that is another one has no elements of its own to look at") {
  const auto f = compile([](const Tensor& x) { return exp(x) * 2.0f; });
  const auto g = compile([](const Tensor& x) {
    const Tensor y = x * 3.0f;
    return std::pair{y, y};
  });
  const Tensor x = numbers({1, 2, 3});
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 4; ++k) f(numbers({NAN, NAN, NAN})).to_vector<float>();  // free memory
    CHECK(error_of([&] { g(x); }).empty());
  }
}

TEST_CASE("check_numerics: gradients") {
  const auto f = compile(grad([](const Tensor& x) { return sum(sqrt(x)); }));
  const std::string error = error_of([&] { f(numbers({4, 0})); });
  CHECK(says(error, "element [1]"));
  CHECK(says(error, "check_numerics_test.cpp:"));
}

TEST_CASE("check_numerics: loops and branches") {
  const auto loop = compile([](const Tensor& x) {
    return while_loop([](const Tensor& y) { return sum(y) < 1e30f; },
                      [](const Tensor& y) { return y * y; }, x);
  });
  CHECK(says(error_of([&] { loop(numbers({1e20f})); }), "mul"));
  const auto branch = compile([](const Tensor& x) {
    return cond(
        sum(x) > 0, [](const Tensor& y) { return y * 2; }, [](const Tensor& y) { return log(y); },
        x);
  });
  CHECK(error_of([&] { branch(numbers({1})); }).empty());
  CHECK(says(error_of([&] { branch(numbers({-1})); }), "log"));
}

TEST_CASE("check_numerics: infinity of inputs, constants and masked values is no error") {
  const auto mask =
      compile([](const Tensor& x) { return softmax(where(x > 1, x, -INFINITY), -1); });
  CHECK(error_of([&] { mask(numbers({0, 1, 2, 3})); }).empty());
  const auto masked = compile([](const Tensor& x) { return where(x > 0, log(x), 0.0f) + 1; });
  CHECK(error_of([&] { masked(numbers({0, 1})); }).empty());
  const auto f = compile(log_of);
  CHECK(error_of([&] { f(numbers({INFINITY})); }).empty());
  CHECK(error_of([] { print(numbers({INFINITY}) * 2 + log(numbers({INFINITY}))); }).empty());
}

TEST_CASE("check_numerics: arguments are unchanged after the error") {
  const auto f = compile([](Tensor& state, const Tensor& x) { state = state + log(x); });
  Tensor state = numbers({1, 2});
  const Tensor good = numbers({1, 1}), bad = numbers({1, 0});
  f(state, good);
  CHECK(says(error_of([&] { f(state, bad); }), "log"));
  CHECK(state.to_vector<float>() == std::vector<float>{1, 2});
  CHECK(error_of([&] { f(state, good); }).empty());
}

TEST_CASE("check_numerics: NaN of f16 and f64, and none in integers") {
  const half list[] = {half(1.0f), half(NAN)};
  CHECK(jit::has_non_finite(f16, list, 2));
  CHECK_FALSE(jit::has_non_finite(f16, list, 1));
  const std::int32_t integers[] = {-1};
  CHECK_FALSE(jit::has_non_finite(i32, integers, 1));
}
