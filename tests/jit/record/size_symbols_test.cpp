// test: moved
#include <doctest/doctest.h>
#include <sinter/guard/failure.hpp>
#include <sinter/jit/record/size_symbols.hpp>

#include "jit/record_function.hpp"

using namespace testing;

namespace {

std::string shape_text(const jit::Recording& recording) {
  return describe(recording.guard).front();
}

const auto twice = [](Tensor& x) { return x * 2.0f; };

}  // namespace

TEST_CASE(
    "size symbols: sizes are static, unless they are marked, varied before, or all are dynamic") {
  Tensor x = zeros({4, 3}), marked = x, wished = x, fixed = x;
  mark_dynamic(marked, 0, {.min = 2});
  maybe_mark_dynamic(wished, 1);
  mark_static(fixed, 0);
  const CompileOptions automatic, on{.dynamic = Dynamic::on}, off{.dynamic = Dynamic::off};
  CHECK(shape_text(record_function(x, automatic, {}, twice)) == "argument 0 is f32[4, 3]");
  CHECK(shape_text(record_function(x, automatic, {{0, 1}}, twice)) ==
        "argument 0 is f32[4, argument 0.size(1)]");
  CHECK(shape_text(record_function(marked, automatic, {}, twice)) ==
        "argument 0 is f32[argument 0.size(0), 3]");
  CHECK(shape_text(record_function(wished, automatic, {}, twice)) ==
        "argument 0 is f32[4, argument 0.size(1)]");
  CHECK(shape_text(record_function(fixed, on, {}, twice)) ==
        "argument 0 is f32[4, argument 0.size(1)]");
  CHECK(shape_text(record_function(marked, off, {}, twice)) == "argument 0 is f32[4, 3]");
}

TEST_CASE("size symbols: unmarked sizes 0 and 1 are static even if all sizes are dynamic") {
  Tensor x = zeros({1, 0, 2});
  CHECK(shape_text(record_function(x, {.dynamic = Dynamic::on}, {}, twice)) ==
        "argument 0 is f32[1, 0, argument 0.size(2)]");
}

TEST_CASE("size symbols: named dimensions of one name are one size") {
  const auto f = compile([](const TensorOf<float, "n", 2>& a, const TensorOf<float, "n", 3>& b) {
    return sum(Tensor(a)) + sum(Tensor(b));
  });
  CHECK(near(f(ones({4, 2}), ones({4, 3})), {20}));
  CHECK(near(f(ones({1, 2}), ones({1, 3})), {5}));
  CHECK(near(f(ones({0, 2}), ones({0, 3})), {0}));
  CHECK(f.stats().recordings == 1);
  try {
    f(ones({4, 2}), ones({5, 3}));
    FAIL_CHECK("nothing was thrown");
  } catch (const ShapeError& error) {
    CHECK(contains(error.what(), "4 and 5"));
    CHECK(contains(error.what(), "size_symbols_test.cpp"));
  }
}
