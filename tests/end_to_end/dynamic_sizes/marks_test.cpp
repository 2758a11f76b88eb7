// test: moved
// Promise 2.13: how marks of dimensions affect the number of recordings, and the errors if the
// program contradicts a mark.

#include <doctest/doctest.h>

#include <random>
#include <set>

#include "jit/support.hpp"
#include "moved.hpp"

using namespace testing;
using sinter_test::by_device;

namespace {

Tensor marked(Tensor x, int dim = 0, DimRange range = {}, Where where = Where::current()) {
  mark_dynamic(x, dim, range, where);
  return x;
}

// The error that `body` throws, which must be of exactly this type.
template <class Error, class Body>
std::string mistake_of(Body body, unsigned line) {
  try {
    body();
  } catch (const Error& error) {
    CHECK(error.where().line() == line);
    return error.what();
  }
  FAIL_CHECK("nothing was thrown");
  return {};
}

// A loss of rows of scores, with every function that padding would change.
Tensor row_loss(const Tensor& x) {
  const Tensor shares = softmax(x, 0);
  return sum(shares * x) + mean(x) + max(x) + sum(exp(x)) / x.size(0);
}

}  // namespace

TEST_CASE("bucket: reductions, results and gradients ignore the padding") {
  const std::vector<std::int64_t> sizes{4, 8, 32};
  const auto f = compile([](const Tensor& x) { return softmax(x * 2.0f, 0); });
  const auto loss = compile(row_loss);
  const auto gradient = compile(grad(row_loss));
  std::mt19937 random(7);
  std::set<std::size_t> buckets;
  for (int call = 0; call < by_device(40, 7); ++call) {
    const int size = call == 0 ? 1 : 1 + static_cast<int>(random() % 20);
    buckets.insert(size <= 4 ? 0 : size <= 8 ? 1 : 2);
    const Tensor x = bucket(randn({size}), 0, sizes);
    CHECK(near_tensor(f(x), on_host([](const Tensor& y) { return softmax(y * 2.0f, 0); }, x)));
    CHECK(near_tensor(loss(x), on_host(row_loss, x), 1e-4));
    CHECK(near_tensor(gradient(x), on_host(grad(row_loss), x), 1e-4));
  }
  const auto variants = static_cast<std::int64_t>(buckets.size());
  CHECK(f.stats().variants == variants);
  CHECK(loss.stats().variants == variants);
  CHECK(gradient.stats().variants == variants);
  CHECK(contains(f.explain().recompiles.at(0), "argument 0: expected 0 <= size(0) <= 4, found "));
  CHECK(contains(f.explain().recompiles.at(0), "marks_test.cpp"));
}

TEST_CASE("bucket: an empty dimension is in the first bucket") {
  const auto f = compile([](const Tensor& x) { return sum(x, 0) + 1.0f; });
  for (const int size : {3, 0, 1}) {
    CHECK(near(f(bucket(ones({size, 2}), 0, {4})), Numbers(2, size + 1)));
  }
  CHECK(f.stats().variants == 1);
}

TEST_CASE("marks: one recording serves the whole range of a mark") {
  const auto f = compile([](const Tensor& x) { return sum(x, 0) / x.size(0); });
  for (const int size : {8, 4, 64, 12}) {
    const Tensor x = marked(randn({size, 3}), 0, {.min = 4, .max = 64, .multiple_of = 4});
    CHECK(near_tensor(f(x), mean(x, 0)));
  }
  CHECK(f.stats().recordings == 1);
  CHECK(near(f(ones({66, 3})), {1, 1, 1}));  // unmarked, and outside of the range
  CHECK(f.stats().recordings == 2);
}

TEST_CASE("marks: if the program fixes a marked size, the error names both lines") {
  const auto f = compile([](const Tensor& x) { return reshape(x, {12}); });
  const unsigned line = Where::current().line() - 1;
  const Tensor x = marked(ones({4, 3}));
  const std::string report = mistake_of<ConstraintError>([&] { f(x); }, line);
  CHECK(contains(report, "dim   argument 0.size(0)"));
  CHECK(contains(report, "size  4"));
  CHECK(contains(report, text("marks_test.cpp:", line, "\n")));
  CHECK(contains(report, text("marks_test.cpp:", line + 2, "\n")));
}

TEST_CASE("marks: maybe_mark_dynamic yields to the program, and the recompile says why") {
  const auto f = compile([](const Tensor& x) { return reshape(x, {x.size(0).value() * 3}); });
  for (const int size : {4, 5}) {
    Tensor x = ones({size, 3});
    maybe_mark_dynamic(x, 0);
    CHECK(near(f(x), Numbers(static_cast<std::size_t>(3 * size), 1)));
  }
  CHECK(f.stats().recordings == 2);
  CHECK(contains(f.explain().recompiles.at(0), "expected size(0) == 4, found 5, assumed at "));
}

TEST_CASE("marks: comparing a marked size with a number is an assumption, not an error") {
  const auto f = compile([](const Tensor& x) { return x.size(0) == 4 ? x + ones({4}) : x * 3.0f; });
  for (const int size : {4, 5, 4, 9, 1}) {
    const Tensor x = marked(ones({size}));
    CHECK(near(f(x), Numbers(static_cast<std::size_t>(size), size == 4 ? 2 : 3)));
  }
  CHECK(f.stats().recordings == 2);
}

TEST_CASE("marks: a named dimension needs one recording, and fixing it is an error") {
  using Batch = TensorOf<float, "batch", 3>;
  const auto f = compile([](const Batch& x, const Batch& y) -> Tensor { return sum(x * y, 0); });
  for (const int size : {4, 1, 0, 7}) {
    const Batch x = ones({size, 3});
    CHECK(near(f(x, x), Numbers(3, size)));
  }
  CHECK(f.stats().recordings == 1);
  const Batch x = ones({4, 3}), y = ones({5, 3});
  CHECK_THROWS_AS(f(x, y), ShapeError);

  const auto g = compile([](const Batch& z) -> Tensor { return reshape(z, {12}); });
  const unsigned line = Where::current().line() - 1;
  const std::string report = mistake_of<ConstraintError>([&] { g(x); }, line);
  CHECK(contains(report, "dim   batch"));
  CHECK(contains(report, "write the number in place of the name"));
}

TEST_CASE("marks: products of sizes that have to be equal are assumed equal") {
  const auto f = compile([](const Tensor& x, const Tensor& y) {
    return reshape(x, {y.size(0), y.size(1)}) + y;
  });
  const auto call = [&](Shape a, Shape b) {
    const Tensor x = marked(marked(counting(a)), 1), y = marked(marked(ones(b)), 1);
    CHECK(near_tensor(f(x, y), reshape(x, b) + 1.0f));
  };
  call({4, 6}, {3, 8});
  call({2, 6}, {3, 4});
  call({9, 5}, {15, 3});
  CHECK(f.stats().recordings == 1);
  CHECK_THROWS_AS(f(marked(marked(ones({4, 6})), 1), marked(marked(ones({3, 7})), 1)), ShapeError);
}

TEST_CASE("marks: a reshape that needs a divisible size assumes that it is") {
  const auto f = compile([](const Tensor& x) { return sum(reshape(x, {-1, 4}), 1); });
  for (const int size : {8, 4, 20, 0}) {
    const Tensor x = marked(counting({size}));
    CHECK(near_tensor(f(x), sum(reshape(x, {-1, 4}), 1)));
  }
  CHECK(f.stats().recordings == 1);
  CHECK_THROWS_AS(f(marked(ones({6}))), ShapeError);
}

TEST_CASE("marks: an unmarked size that is a multiple of a marked one follows it") {
  const auto f = compile([](const Tensor& x, const Tensor& y) {
    return reshape(y, {x.size(0), 2}) * unsqueeze(x, 1);
  });
  for (const int size : {3, 5, 2}) {
    const Tensor x = marked(counting({size})), y = ones({2 * size});
    CHECK(near_tensor(f(x, y), reshape(y, {size, 2}) * unsqueeze(x, 1)));
  }
  CHECK(f.stats().recordings == 1);
}

TEST_CASE("marks: a marked size of 1 cannot be broadcast, and the error names it") {
  const auto f = compile([](const Tensor& x, const Tensor& y) { return x + y; });
  const unsigned line = Where::current().line() - 1;
  const auto call = [&] { f(marked(ones({1, 3})), ones({5, 3})); };
  const std::string report = mistake_of<ShapeError>(call, line);
  CHECK(contains(report, "argument 0.size(0), marked at "));
  CHECK(contains(report, "leave a dimension that is to be repeated unmarked"));
}

TEST_CASE("marks: dimensions that start to vary one after another cost one recording each") {
  const auto f = compile([](const Tensor& x) { return softmax(x, -1) * 2.0f; });
  const auto call = [&](int rows, int columns) {
    const Tensor x = randn({rows, columns});
    CHECK(near_tensor(f(x), softmax(x, -1) * 2.0f));
  };
  call(4, 6), call(4, 7), call(4, 9);
  CHECK(f.stats().recordings == 2);
  call(5, 9), call(6, 2), call(4, 6), call(9, 31);
  CHECK(f.stats().recordings == 3);
}
