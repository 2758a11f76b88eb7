#include <doctest/doctest.h>
#include <sinter/jit/evaluator.hpp>
#include <sinter/runtime/interpreter.hpp>

#include "jit/support.hpp"

using namespace testing;

TEST_CASE("evaluator: is there before main() starts, and stays the same") {
  Evaluator* const evaluator = current_evaluator();
  REQUIRE(evaluator != nullptr);
  CHECK(jit::install_evaluator());
  CHECK(current_evaluator() == evaluator);
}

TEST_CASE("evaluator: a read outside of compiled functions is interpreted" *
          doctest::test_suite("host: a GPU has kernels for it")) {
  const Tensor x = vector({1, 2});
  const Tensor y = x * 2.0f + 1.0f;
  runtime::interpreter_is_forbidden() = true;
  CHECK_THROWS_AS(y.to_vector<float>(), InternalError);
  runtime::interpreter_is_forbidden() = false;
  CHECK(near(y, {3, 5}));
}
