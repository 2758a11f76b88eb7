// Programs that compare or print sizes, or compute extents that are 1: the recording evaluates the
// question for the sizes of its call, and guards the answer.

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "jit/support.hpp"

using namespace testing;

namespace {

using One = Tensor (*)(const Tensor& x);
using Two = Tensor (*)(const Tensor& x, const Tensor& y);

// Compiled calls, with `dim` unmarked and marked, agree with the function.
template <class F, class... Shapes>
void check_calls(F f, int dim, const std::vector<std::pair<Shape, Shape>>& calls) {
  for (const bool marked : {false, true}) {
    const auto compiled = compile(f, {.backend = Backend::aot_eager, .recompile_limit = 32});
    for (const auto& [first, second] : calls) {
      CAPTURE(first);
      CAPTURE(second);
      CAPTURE(marked);
      Tensor x = counting(first) + 1.0f, y = counting(second) + 2.0f;
      if (marked) mark_dynamic(x, dim);
      if constexpr (std::is_same_v<F, One>) {
        CHECK(near_tensor(compiled(x), f(x)));
      } else {
        CHECK(near_tensor(compiled(x, y), f(x, y)));
      }
    }
  }
}

void check_one(One f, int dim, const std::vector<Shape>& shapes) {
  std::vector<std::pair<Shape, Shape>> calls;
  for (const Shape& shape : shapes) calls.emplace_back(shape, shape);
  check_calls(f, dim, calls);
}

void check_two(Two f, int dim, const std::vector<std::pair<Shape, Shape>>& calls) {
  check_calls(f, dim, calls);
}

}  // namespace

TEST_CASE("size guards: shapes are compared with the sizes of the call") {
  check_two([](const Tensor& x, const Tensor& y) { return x.shape() == y.shape() ? x : x * 10.0f; },
            0, {{{2, 3}, {2, 3}}, {{2, 3}, {3, 2}}, {{4, 3}, {4, 3}}, {{4, 3}, {4}}});
  check_one(
      [](const Tensor& x) {
        return x.shape() != Shape{2, 3} ? x : x * 10.0f;
      },
      0, {{2, 3}, {3, 3}, {2, 3}, {2}, {5, 3}});
  check_one(
      [](const Tensor& x) {
        return x[Slice{1, 3}].shape() == Shape{2} ? x : x * 10.0f;
      },
      0, {{5}, {2}, {3}, {1}, {7}});
}

TEST_CASE("size guards: a size printed as text is that of the call") {
  const std::vector<Shape> shapes{{2, 3}, {4, 3}, {2, 3}, {2, 4}, {1, 3}};
  check_one([](const Tensor& x) { return to_string(x.shape()) == "[2, 3]" ? x : x * 10.0f; }, 0,
            shapes);
  check_one([](const Tensor& x) { return to_string(x.size(0)) == "2" ? x : x * 10.0f; }, 0, shapes);
  check_one([](const Tensor& x) { return to_string(x) == "f32[2, 3]" ? x : x * 10.0f; }, 0, shapes);
  check_one([](const Tensor& x) { return to_string(x.numel() * 2 + 1) == "13" ? x : x * 10.0f; }, 0,
            shapes);
}

TEST_CASE("size guards: the guard of a printed size names the line that printed it") {
  constexpr int line = __LINE__ + 1;
  const One f = [](const Tensor& x) { return to_string(x.shape()) == "[2]" ? x : x * 10.0f; };
  const auto named = compile(f);
  Tensor x = ones({2}), longer = ones({3});
  mark_dynamic(x, 0), mark_dynamic(longer, 0);
  named(x), named(longer);
  const std::vector<std::string> recompiles = named.explain().recompiles;
  REQUIRE(recompiles.size() == 1);
  CHECK(contains(recompiles[0], text("size_guards_test.cpp:", line)));
}

TEST_CASE("size guards: printing a shape shows numbers and adds no guard") {
  const auto printed = compile([](const Tensor& x) {
    print(x.shape());
    print(x.size(0));
    return x + 1.0f;
  });
  Tensor x = ones({2, 3}), longer = ones({5, 3});
  mark_dynamic(x, 0), mark_dynamic(longer, 0);
  CHECK(written_to(stdout, [&] { printed(x), printed(longer); }).starts_with("[2, 3]\n2\n"));
  CHECK(printed.stats().variants == 1);
}

TEST_CASE("size guards: squeeze drops an axis whose extent is computed to be 1") {
  const std::vector<Shape> pairs{{5, 2}, {5, 4}, {3, 2}, {3, 3}};
  check_one([](const Tensor& x) { return squeeze(chunk(x, 2, 1)[1], -1) * 2.0f; }, 1, pairs);
  check_one([](const Tensor& x) { return squeeze(split(x, 2, 1).back()); }, 1, {{5, 3}, {5, 4}});
  check_one([](const Tensor& x) { return squeeze(x[Slice{0, 1}]); }, 0, {{2}, {5}, {1}, {0}});
  check_one([](const Tensor& x) { return squeeze(x[Slice{1, 3}]); }, 0, {{2}, {5}, {1}, {3}});
  check_one([](const Tensor& x) { return squeeze(narrow(x, 0, x.size(0) - 1, 1), 0); }, 0,
            {{2, 3}, {5, 3}, {1, 3}});
  check_one([](const Tensor& x) { return squeeze(topk(x, x.size(0) - 1, 0).values, 0); }, 0,
            {{2, 3}, {5, 3}, {3, 3}});
  check_one(
      [](const Tensor& x) {
        return squeeze(max_pool2d(reshape(x, {1, 1, x.size(0), x.size(1)}), 2));
      },
      0, {{2, 6}, {5, 6}, {3, 6}, {4, 6}});
  check_one([](const Tensor& x) { return squeeze(unfold(x, 0, 2, 2), 0); }, 0,
            {{2, 3}, {3, 3}, {5, 3}});
}

TEST_CASE("size guards: squeeze drops a marked axis in the calls in which it is 1") {
  check_one([](const Tensor& x) { return squeeze(x) + 1.0f; }, 0, {{2, 3}, {1, 3}, {5, 3}, {1, 1}});
  check_one([](const Tensor& x) { return squeeze(x, 0) + 1.0f; }, 0, {{1, 3}, {2, 3}, {1, 3}});
  auto squeezed = compile([](const Tensor& x) { return squeeze(x, 1); });
  for (const int rows : {1, 2, 5}) {
    Tensor x = ones({rows, 1});
    mark_dynamic(x, 0);
    CHECK(squeezed(x).ndim() == 1);
  }
  CHECK(squeezed.stats().variants == 1);
}

TEST_CASE("size guards: products take operands whose extent is computed to be 1") {
  const std::vector<std::pair<Shape, Shape>> calls{
      {{3, 4}, {3, 4}}, {{5, 4}, {5, 4}}, {{3, 2}, {3, 2}}, {{1, 4}, {1, 4}}};
  check_two(
      [](const Tensor& x, const Tensor& y) {
        return einsum("ij,ij->j", {y, x[{all, Slice{0, 1}}]});
      },
      1, calls);
  check_two(
      [](const Tensor& x, const Tensor& y) {
        return einsum("ij,ij->i", {x[{Slice{0, 1}}], y});
      },
      0, calls);
  check_two(
      [](const Tensor& x, const Tensor& y) {
        return matmul(unsqueeze(x[{Slice{0, 1}}], 1), unsqueeze(y, 2));
      },
      0, calls);
  check_one(
      [](const Tensor& x) {
        return matmul(unsqueeze(x[Slice{-1, std::nullopt}], 1), unsqueeze(x, 2));
      },
      0, {{3, 4}, {5, 4}, {1, 4}});
  check_one([](const Tensor& x) { return chunk(x, 2, 0)[1] * x; }, 0, {{2, 3}, {2, 4}});
}

TEST_CASE("size guards: functions that treat empty tensors differently guard on emptiness") {
  const auto thrown = [](One f) {
    auto compiled = compile(f, {.backend = Backend::aot_eager});
    for (const int size : {4, 2, 5}) {
      Tensor x = counting({size});
      mark_dynamic(x, 0);
      if (size == 2) CHECK_THROWS_AS(compiled(x), ValueError);
      if (size != 2) CHECK(near_tensor(compiled(x), f(x)));
    }
  };
  thrown([](const Tensor& x) { return median(x[Slice{2, std::nullopt}]); });
  thrown([](const Tensor& x) { return quantile(x[Slice{2, std::nullopt}], 0.5); });
  const auto refused = [](One f) {
    CHECK_THROWS_AS(f(counting({2})), ShapeError);
    CHECK_THROWS_AS(compile(f)(counting({2})), ShapeError);
  };
  refused([](const Tensor& x) { return zeros({x.size(0) - 3}); });
  refused([](const Tensor& x) { return repeat(x, {x.size(0) - 3}); });
}

TEST_CASE("size guards: a recording does not serve a -1 that another extent of 0 leaves open") {
  const auto rows = [](const Tensor& x) { return reshape(x, {x.size(0), -1}); };
  const auto compiled = compile(rows);
  const auto at = [](std::int64_t count) {
    Tensor x = ones({count, 2, 3});
    mark_dynamic(x, 0);
    return x;
  };
  CHECK(near_tensor(compiled(at(4)), rows(at(4))));
  CHECK_THROWS_WITH_AS(compiled(at(0)), doctest::Contains("any extent fits -1"), ShapeError);
  CHECK(near_tensor(compiled(at(5)), rows(at(5))));
  CHECK(compiled.stats().recordings == 1);
}

TEST_CASE("size guards: elements of a host array fill a shape of the call") {
  const auto filled = compile([](const Tensor& x) {
    return x + from_vector(std::vector<float>{1, 2, 3, 4, 5, 6}, x.shape());
  });
  CHECK(near(filled(ones({2, 3})), {2, 3, 4, 5, 6, 7}));
  CHECK(near(filled(ones({3, 2})), {2, 3, 4, 5, 6, 7}));
}
