// test: moved
// Promise 17: compiling in the background.

#include <doctest/doctest.h>

#include <chrono>
#include <thread>

#include "promises/promises.hpp"

using namespace testing;

namespace {

const auto function = [](const Tensor& x) { return tanh(x) * 3.0f + sin(x * 0.125f); };

// Calls until a call was compiled, for at most some seconds; checks each result.
template <class F>
bool becomes_compiled(const F& f, const Tensor& x, const Tensor& expected) {
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t eager = f.stats().eager_calls;
    CHECK(near_tensor(f(x), expected));
    if (f.stats().eager_calls == eager) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

}  // namespace

TEST_CASE("promise 2.17: with `background` calls run eagerly until the code is there") {
  const ScopedFreshCache fresh;
  const auto f = compile(function, {.background = true});
  const Tensor x = ready(randn({40})), expected = ready(function(x));
  CHECK(near_tensor(f(x), expected));
  CHECK(f.stats().eager_calls == 1);
  CHECK(becomes_compiled(f, x, expected));
  CHECK(f.stats().kernels == 1);
  CHECK(f.stats().compiler_runs == 1);
}

TEST_CASE("promise 2.17: state goes on from eager calls to compiled ones") {
  const ScopedFreshCache fresh;
  const auto f = compile([](Tensor& total, const Tensor& x) { total = total + sin(x) * 0.0f + x; },
                         {.background = true});
  Tensor total = zeros({8});
  int calls = 0;
  for (; calls < 1000 && f.stats().eager_calls == calls; ++calls) {
    f(total, ones({8}));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  CHECK(calls < 1000);
  CHECK(is(total, calls));
}
