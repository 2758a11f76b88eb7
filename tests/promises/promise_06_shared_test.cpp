// test: moved
// Promise 6: one tensor in two arguments, of which the function changes one.

#include <doctest/doctest.h>

#include "promises/promises.hpp"

using namespace testing;

TEST_CASE("promise 2.6: f(x, x) where f changes its first argument") {
  const auto add_twice = compile([](Tensor& total, const Tensor& x) {
    total += x;
    total += x;  // a value of its own: what it was when the function was called
    return x * 1.0f;
  });
  Tensor x = ready(ones({64})), y = ready(full({64}, 10.0f));
  CHECK(is(add_twice(x, x), 1));
  CHECK(is(x, 3));
  CHECK(is(add_twice(x, y), 10));
  CHECK(is(x, 23));
  CHECK(is(y, 10));
  CHECK(is(add_twice(x, x), 23));
  CHECK(is(x, 69));
  CHECK(add_twice.stats().recordings == 1);
}

TEST_CASE("promise 2.6: f(x, x) where f could change both and changes the second") {
  const auto f = compile([](Tensor& a, Tensor& b) { b = a + b * 2.0f; });
  Tensor x = ready(ones({64}));
  f(x, x);
  CHECK(is(x, 3));
  Tensor y = ready(ones({64}));
  f(x, y);
  CHECK(is(x, 3));
  CHECK(is(y, 5));
}
