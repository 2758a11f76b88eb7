// test: moved
// Promise 13: dimensions are static at first, marked, named, or found to vary.

#include <doctest/doctest.h>

#include "promises/promises.hpp"

using namespace testing;

namespace {

const auto row_function = [](const Tensor& x) { return softmax(x * 2.0f, -1) + mean(x, {0}); };

// The recordings that calls with batches of these sizes take.
template <class Make>
std::int64_t recordings(const std::vector<int>& sizes, Make make, CompileOptions options = {}) {
  const auto f = compile(row_function, options);
  for (const int size : sizes) {
    const Tensor x = make(size);
    CHECK(near_tensor(f(x), row_function(x)));
  }
  return f.stats().recordings;
}

Tensor plain(int size) { return randn({size, 6}); }
Tensor with_mark(int size) { return marked(randn({size, 6})); }

std::string constraint_of(auto program, const Tensor& x) {
  return message_of<ConstraintError>([&] { compile(program)(x); });
}

}  // namespace

TEST_CASE("promise 2.13: static at first; one that changes is dynamic at the next recompile") {
  CHECK(recordings({5, 5, 5}, plain) == 1);
  CHECK(recordings({5, 7, 9, 33, 2}, plain) == 2);
  const auto f = compile(row_function);
  f(plain(5));
  CHECK(contains(f.explain().guards.at(0), "f32[5, 6]"));
  f(plain(7));
  CHECK(contains(f.explain().guards.at(0), "f32[argument 0.size(0), 6]"));
}

TEST_CASE("promise 2.13: `on` is dynamic from the start, `off` never") {
  CHECK(recordings({5, 7, 9}, plain, {.dynamic = Dynamic::on}) == 1);
  CHECK(recordings({5, 7, 9}, plain, {.dynamic = Dynamic::off}) == 3);
}

TEST_CASE("promise 2.13: marked dimensions cover their whole range, sizes 0 and 1 included") {
  CHECK(recordings({7, 1, 64, 2, 1}, with_mark) == 1);
  CHECK(recordings({1, 7, 64}, with_mark) == 1);
  const auto f = compile([](const Tensor& x) { return softmax(x, -1) * 2.0f; });
  for (const int size : {0, 5, 1, 0}) {
    const Tensor found = f(with_mark(size));
    CHECK(found.size(0).number() == size);
    CHECK(near(sum(found, {1}), Numbers(static_cast<std::size_t>(size), 2)));
  }
  CHECK(f.stats().recordings == 1);
}

TEST_CASE("promise 2.13: named dimensions are dynamic from the start, 1 included") {
  using Rows = TensorOf<float, "batch", 6>;
  const auto f = compile([](const Rows& x) { return row_function(x); });
  for (const int size : {7, 1, 64, 3}) {
    const Tensor x = plain(size);
    CHECK(near_tensor(f(x), row_function(x)));
  }
  CHECK(f.stats().recordings == 1);
}

TEST_CASE("promise 2.13: unmarked dimensions are specialised at 0 and 1") {
  CHECK(recordings({5, 7, 1, 9, 1}, plain) == 3);
  CHECK(recordings({1, 5, 7, 1}, plain, {.dynamic = Dynamic::on}) == 2);
  const auto f = compile([](const Tensor& a, const Tensor& b) { return a + b; });
  CHECK(is(f(ones({4, 3}), ones({1, 3})), 2));  // broadcasts, because it is 1
  CHECK(is(f(ones({4, 3}), ones({4, 3})), 2));
}

TEST_CASE("promise 2.13: marks travel with the handle's copies, not with results") {
  const Tensor x = marked(randn({5, 6}));
  const Tensor copy = x, result = x * 1.0f;
  const auto of_copy = compile(row_function), of_result = compile(row_function);
  of_copy(copy);
  of_result(result);
  CHECK(contains(of_copy.explain().guards.at(0), "argument 0.size(0)"));
  CHECK(contains(of_result.explain().guards.at(0), "f32[5, 6]"));
}

TEST_CASE("promise 2.13: sizes that happen to be equal are not assumed equal") {
  const auto f = compile([](const Tensor& a, const Tensor& b) { return sum(a) + sum(b) * 2.0f; });
  CHECK(is(f(marked(ones({4})), marked(ones({4}))), 12));
  CHECK(is(f(marked(ones({4})), marked(ones({7}))), 18));
  CHECK(f.stats().recordings == 1);
}

TEST_CASE("promise 2.13: an operation that needs equality assumes it, which is guarded") {
  const auto f = compile([](const Tensor& a, const Tensor& b) { return a * b; });
  CHECK(is(f(marked(ones({4})), marked(ones({4}))), 1));
  CHECK(is(f(marked(ones({9})), marked(ones({9}))), 1));
  CHECK(f.stats().recordings == 1);
  CHECK_THROWS_AS(f(marked(ones({4})), marked(ones({5}))), ShapeError);
}

TEST_CASE("promise 2.13: an unmarked dimension set equal to a marked one follows it") {
  const auto f = compile([](const Tensor& a, const Tensor& b) { return sum(a * b, {1}); });
  for (const int size : {5, 1, 8}) {
    CHECK(near(f(marked(ones({size, 3})), ones({size, 3})),
               Numbers(static_cast<std::size_t>(size), 3)));
  }
  CHECK(f.stats().recordings == 1);
}

TEST_CASE("promise 2.13: symbols never broadcast") {
  const auto f = compile([](const Tensor& a, const Tensor& b) { return a + b; });
  CHECK(is(f(marked(ones({1, 3})), marked(ones({1, 3}))), 2));
  CHECK(is(f(marked(ones({4, 3})), marked(ones({4, 3}))), 2));
  CHECK(f.stats().recordings == 1);
}

TEST_CASE("promise 2.13: a comparison or value() of a size is an assumption with its line") {
  const auto f = compile([](const Tensor& x) {
    return x.size(0) >= 8 ? x * static_cast<float>(x.size(1).value()) : x * 0.0f;
  });
  const unsigned line = __LINE__ - 2;
  CHECK(is(f(with_mark(9) * 0.0f), 0));
  f(with_mark(9));
  f(with_mark(8));
  f(with_mark(3));
  const std::vector<std::string> reasons = f.explain().recompiles;
  REQUIRE_FALSE(reasons.empty());
  INFO(reasons.back());
  CHECK(contains(reasons.back(), "argument 0: expected size(0) >= 8, found 3"));
  CHECK(contains(reasons.back(), text("promise_13_dimensions_test.cpp:", line)));
}

TEST_CASE("promise 2.13: only a number in the program violates a mark, at its line") {
  const Tensor x = marked(zeros({7, 8}), 0, {.min = 2, .max = 64});
  const std::string of_ones = constraint_of([](const Tensor& v) { return v + ones({7, 8}); }, x);
  CHECK(contains(of_ones, text("promise_13_dimensions_test.cpp:", __LINE__ - 1)));
  CHECK(contains(of_ones, "size  7"));
  CHECK(contains(of_ones, "marked"));
  CHECK(contains(constraint_of([](const Tensor& v) { return reshape(v, {56}); }, x), "7"));
  const auto value = [](const Tensor& v) { return v * static_cast<float>(v.size(0).value()); };
  CHECK(contains(constraint_of(value, x), "argument 0.size(0)"));
  const auto free = [](const Tensor& v) { return v + ones({v.size(0), 8}); };
  CHECK(is(compile(free)(x), 1));
}

TEST_CASE("promise 2.13: what cannot be dynamic gives in where it was only a wish") {
  Tensor x = ready(zeros({7, 8}));
  maybe_mark_dynamic(x, 0);
  CHECK(is(compile([](const Tensor& v) { return v + ones({7, 8}); })(x), 1));
  mark_static(x, 0);
  const auto f = compile(row_function, {.dynamic = Dynamic::on});
  f(x);
  CHECK(contains(f.explain().guards.at(0), "f32[7, argument 0.size(1)]"));
}

TEST_CASE("promise 2.13: dynamic graphs lose neither fusion nor vectorisation" *
          doctest::test_suite("host: a GPU takes totals that may be long in parts")) {
  const auto of_static = compile(row_function), of_dynamic = compile(row_function);
  of_static(plain(40));
  of_dynamic(marked(plain(40)));
  const Stats a = of_static.stats(), b = of_dynamic.stats();
  CHECK(a.kernels == b.kernels);
  CHECK(a.launches == b.launches);
  CHECK(b.bytes_read == a.bytes_read);
  CHECK(b.bytes_written == a.bytes_written);
  const std::string source = of_dynamic.explain().kernels.at(0).source;
  CHECK(count(source, "f32x") >= count(of_static.explain().kernels.at(0).source, "f32x"));
}
