// test: moved
// Promise 3: typed operands build expression templates. What the compiler refuses is in
// tests/compile_fail: dtypes, dimensions, ranks, names that are too long.

#include <doctest/doctest.h>

#include <concepts>

#include "promises/promises.hpp"

using namespace testing;

namespace {

using Rows = TensorOf<float, "batch", 4>;
using Row = TensorOf<float, 4>;

const auto eight_operations = [](const Rows& x, const Row& row) {
  return exp(x * row + 1.0f) * 0.5f - tanh(x) / (abs(x) + 2.0f);
};

Tensor recorded(const auto& expression) { return expression; }

}  // namespace

TEST_CASE("promise 2.3: dtype and dimensions of an expression are in its type") {
  using sinter::detail::typed::TypeOf;
  const Rows x = ones({3, 4});
  const Row row = ones({4});
  const TensorOf<float, 4, 7> weight = ones({4, 7});
  static_assert(std::same_as<TypeOf<decltype(x + row)>, Rows>);
  static_assert(std::same_as<TypeOf<decltype(x > row)>, TensorOf<bool, "batch", 4>>);
  static_assert(std::same_as<TypeOf<decltype(matmul(x, weight))>, TensorOf<float, "batch", 7>>);
  static_assert(!std::same_as<decltype(x + row), Tensor>);
  CHECK(near(matmul(x, weight), Numbers(21, 4)));
}

TEST_CASE("promise 2.3: nothing happens at run time until the expression is converted") {
  const TensorOf<float, "n"> three = ones({3}), four = ones({4});
  const auto expression = three + four;  // wrong, which only the run can tell
  const TensorOf<float, 2> undefined;
  const auto other = exp(undefined) * 2.0f;
  CHECK_THROWS_AS(recorded(expression), ShapeError);
  CHECK_THROWS_AS(recorded(other), ValueError);
}

TEST_CASE("promise 2.3: an error in an expression names the line where it was written") {
  const TensorOf<float, "n"> three = ones({3}), four = ones({4});
  const auto expression = three + four;
  const unsigned line = __LINE__ - 1;
  CHECK(contains(message_of<ShapeError>([&] { recorded(expression); }),
                 text("promise_03_typed_test.cpp:", line)));
}

TEST_CASE("promise 2.3: recording an expression again hits the cache") {
  const auto twice = compile([](const Rows& x, const Row& row) {
    const Tensor first = eight_operations(x, row), again = eight_operations(x, row);
    return first + again;
  });
  const auto once = compile([](const Rows& x, const Row& row) {
    const Tensor first = eight_operations(x, row);
    return first + first;
  });
  const auto others = compile([](const Rows& x, const Row& row) {
    const Tensor first = eight_operations(x, row), other = eight_operations(x, row + 1.0f);
    return first + other;
  });
  const Rows x = randn({3, 4});
  const Row row = randn({4}), next = row + 1.0f;
  const Tensor expected = eight_operations(x, row);
  CHECK(near_tensor(twice(x, row), expected * 2.0f));
  CHECK(near_tensor(once(x, row), expected * 2.0f));
  CHECK(near_tensor(others(x, row), expected + Tensor(eight_operations(x, next))));
  const GraphInfo graph = twice.explain().graphs.at(0);
  CHECK(graph.operations == once.explain().graphs.at(0).operations);
  CHECK(count(graph.text, "= exp %") == 1);
  CHECK(count(others.explain().graphs.at(0).text, "= exp %") == 2);
}

TEST_CASE("promise 2.3: numbers in an expression are part of what is looked up") {
  const auto f = compile([](const Row& x) {
    const auto scaled = [&x](float factor) { return Tensor(x * factor + 1.0f); };
    return std::vector<Tensor>{scaled(2.0f), scaled(3.0f), scaled(2.0f)};
  });
  const std::vector<Tensor> found = f(Row(ones({4})));
  CHECK(is(found[0], 3));
  CHECK(is(found[1], 4));
  CHECK(is(found[2], 3));
}

TEST_CASE("promise 2.3: operands are held by value, so that auto never dangles") {
  const auto make = [] {
    const Row local = vector({1, 2, 3, 4});
    const auto inner = local * local;
    return inner + local;
  };
  const auto expression = make();
  elements_of(randn({4}));  // takes memory that was let go
  CHECK(near(expression, {2, 6, 12, 20}));
  Row x = vector({1, 1, 1, 1});
  const auto before = x + 1.0f;
  x += 10.0f;
  CHECK(is(before, 2));
}

TEST_CASE("promise 2.3: expressions are bounded: past 8 leaves operands are recorded first") {
  const Row x = full({4}, 0.5f);
  const auto e0 = x + x;
  const auto e1 = e0 * e0 - e0;
  const auto e2 = e1 * e1 - e1;
  const auto e3 = e2 * e2 - e2;
  const auto e4 = e3 * e3 - e3;
  const auto e5 = e4 * e4 - e4;
  static_assert(sizeof(e3) <= 1024);
  static_assert(sizeof(e4) <= 1024);
  static_assert(sizeof(e5) <= 1024);
  static_assert(e5.leaves <= 8);
  Tensor expected = Tensor(x) + Tensor(x);
  for (int i = 0; i < 5; ++i) expected = expected * expected - expected;
  CHECK(near_tensor(e5, expected));
}

TEST_CASE("promise 2.3: a named function that is not elementwise records its operands first") {
  const Rows x = randn({3, 4});
  const TensorOf<float, 4, 4> weight = randn({4, 4});
  const auto product = matmul(exp(x) * 2.0f + x, weight);
  const auto total = sum(x * x - x);
  static_assert(sizeof(product) <= 64);
  static_assert(sizeof(total) <= 64);
  const Tensor plain = x;
  CHECK(near_tensor(product, matmul(exp(plain) * 2.0f + plain, Tensor(weight))));
  CHECK(near_tensor(total, sum(plain * plain - plain)));
}

TEST_CASE("promise 2.3: dimensions are numbers, names or dyn") {
  const Tensor x = counting({2, 3, 5});
  const TensorOf<float, 2, "rows", dyn> typed = x;
  CHECK(near_tensor(typed, x));
  using Other = TensorOf<float, 2, "rows", 4>;
  const std::string report = message_of<ShapeError>([&] { Other{x}; });
  CHECK(contains(report, "f32[2, 3, 5]"));
  CHECK(contains(report, "f32[2, rows, 4]"));
  const TensorOf<float, "a_name_of_23_characters"> longest = ones({3});
  CHECK(is(longest, 1));
}

TEST_CASE("promise 2.3: a name is one size in all arguments of a recording") {
  const auto f = compile([](const Rows& x, const TensorOf<float, "batch">& scale) {
    return Tensor(x) * unsqueeze(Tensor(scale), 1);
  });
  for (const int size : {5, 2, 9, 1}) {
    CHECK(is(f(Rows(full({size, 4}, 2.0f)), TensorOf<float, "batch">(full({size}, 3.0f))), 6));
  }
  CHECK(f.stats().recordings == 1);
  const Rows five = ones({5, 4});
  const TensorOf<float, "batch"> six = ones({6});
  CHECK_THROWS_AS(f(five, six), UserError);
}

TEST_CASE("promise 2.3: two names that happen to be equal are two sizes") {
  const auto f = compile([](const TensorOf<float, "n">& a, const TensorOf<float, "m">& b) {
    return Tensor(sum(a) * sum(b));
  });
  using A = TensorOf<float, "n">;
  using B = TensorOf<float, "m">;
  CHECK(is(f(A(ones({4})), B(ones({4}))), 16));
  CHECK(is(f(A(ones({4})), B(ones({6}))), 24));
  CHECK(f.stats().recordings == 1);
}
