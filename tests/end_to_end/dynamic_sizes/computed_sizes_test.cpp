// test: moved
// Sizes that a program computes: negative, 1, or equal only by an assumption. Compiled results
// equal those of the uncompiled program.

#include <doctest/doctest.h>

#include <optional>
#include <utility>
#include <vector>

#include "jit/support.hpp"

using namespace testing;

namespace {

using Pair = Tensor (*)(const Tensor& a, const Tensor& b);

// For each pair of sizes, marked and not: compiled and uncompiled results agree.
int variants_of_marked(Pair f, const std::vector<std::pair<int, int>>& sizes,
                       Backend backend = Backend::eager) {
  int variants = 0;
  for (const bool marked : {false, true}) {
    auto compiled = compile(f, {.backend = backend});
    for (const auto& [rows, columns] : sizes) {
      Tensor a = counting({rows}), b = counting({columns});
      if (marked) mark_dynamic(a, 0), mark_dynamic(b, 0);
      CAPTURE(rows);
      CAPTURE(columns);
      CHECK(near_tensor(compiled(a, b), f(a, b)));
    }
    variants = static_cast<int>(compiled.stats().variants);
  }
  return variants;
}

const std::vector<std::pair<int, int>> sizes{{4, 6}, {6, 4}, {5, 5}, {8, 3}, {3, 9}, {7, 2}};

}  // namespace

TEST_CASE("computed sizes: a negative difference of sizes stays negative") {
  const Pair scaled = [](const Tensor& a, const Tensor& b) {
    return sum(a) + b * (b.size(0) - a.size(0));
  };
  CHECK(variants_of_marked(scaled, sizes) == 1);
  const Pair seen = [](const Tensor& a, const Tensor& b) {
    const Tensor query = unsqueeze(arange(a.size(0)), 1), key = unsqueeze(arange(b.size(0)), 0);
    return where(key <= query + (b.size(0) - a.size(0)), unsqueeze(a, 1) * unsqueeze(b, 0), 0.0f);
  };
  CHECK(variants_of_marked(seen, sizes, Backend::fused) == 1);
}

TEST_CASE(
    "computed sizes: a negative position counts from the end, also if it is a difference of "
    "sizes") {
  const Pair start = [](const Tensor& a, const Tensor& b) {
    return slice(b, 0, b.size(0) - a.size(0), b.size(0)) + sum(a);
  };
  CHECK(variants_of_marked(start, sizes) == 2);
  const Pair stop = [](const Tensor& a, const Tensor& b) {
    return slice(b, 0, 0, b.size(0) - a.size(0)) + sum(a);
  };
  CHECK(variants_of_marked(stop, sizes) == 2);
  const Pair last_three = [](const Tensor& a, const Tensor& b) {
    return slice(b, 0, b.size(0) - 3, b.size(0)) + sum(a);
  };
  CHECK(variants_of_marked(last_three, sizes) == 2);
  const Pair last = [](const Tensor& a, const Tensor& b) {
    return slice(b, 0, b.size(0) - 1, b.size(0)) + sum(a);
  };
  CHECK(variants_of_marked(last, sizes) == 1);
}

TEST_CASE("computed sizes: invalid sizes are refused, also if they are symbolic") {
  const auto padded = [](const Tensor& a, const Tensor& b) {
    return pad(a, {{0, b.size(0) - a.size(0)}}) + b;
  };
  const auto largest = [](const Tensor& a, const Tensor& b) { return max(a) + b; };
  for (const bool marked : {false, true}) {
    const auto one = compile(padded, {.backend = Backend::eager});
    const auto other = compile(largest, {.backend = Backend::eager});
    for (const auto& [rows, columns] : {std::pair{3, 5}, std::pair{5, 3}, std::pair{0, 2}}) {
      Tensor a = counting({rows}), b = counting({columns});
      if (marked) mark_dynamic(a, 0), mark_dynamic(b, 0);
      if (rows > columns) CHECK_THROWS_AS(one(a, b), ValueError);
      if (rows <= columns) CHECK(near_tensor(one(a, b), padded(a, b)));
      if (rows == 0) CHECK_THROWS_AS(other(a, b), ValueError);
      if (rows > 0) CHECK(near_tensor(other(a, b), largest(a, b)));
    }
  }
}

TEST_CASE("computed sizes: batches and steps of equal halves of two marked sizes") {
  const auto half = [](const Tensor& x) { return x[Slice{0, x.size(0) / 2}]; };
  const auto product = [half](const Tensor& a, const Tensor& b) {
    return vmap([](const Tensor& x, const Tensor& y) { return x * y; })(half(a), half(b));
  };
  const auto dot = [half](const Tensor& a, const Tensor& b) {
    const auto step = [](const Tensor& sum, const std::pair<Tensor, Tensor>& xy) {
      return std::pair{sum + xy.first * xy.second, sum};
    };
    return scan(step, 0.0f, std::pair{half(a), half(b)}).first;
  };
  Tensor a = counting({6}), b = counting({7});
  mark_dynamic(a, 0), mark_dynamic(b, 0);
  CHECK(near_tensor(compile(product, {.backend = Backend::eager})(a, b), product(a, b)));
  CHECK(near_tensor(compile(dot, {.backend = Backend::eager})(a, b), dot(a, b)));
}

TEST_CASE(
    "computed sizes: a slice of one element is broadcast, whether its dimension varies or not") {
  const Pair first = [](const Tensor& a, const Tensor& b) { return b * slice(a, 0, 0, 1); };
  CHECK(variants_of_marked(first, sizes, Backend::fused) == 1);
  const Pair last = [](const Tensor& a, const Tensor& b) {
    return b * a[{Slice{-1, std::nullopt}}];
  };
  CHECK(variants_of_marked(last, sizes) == 1);
}

TEST_CASE("computed sizes: maybe_mark_dynamic is dropped for a size of 1 that is broadcast") {
  auto product = compile([](const Tensor& a, const Tensor& b) { return a * b; });
  Tensor a = counting({4}), b = counting({1});
  maybe_mark_dynamic(b, 0);
  CHECK(near_tensor(product(a, b), a * b));
}

TEST_CASE(
    "computed sizes: a varying batch needs one more recording, with state that the first one "
    "creates") {
  nn::Linear model{4, 2};
  optim::SGD optimizer{.learning_rate = 0.1f, .momentum = 0.9f};
  const auto step = compile(
      [](nn::Linear& m, optim::SGD& o, const Tensor& x) {
        auto [loss, gradients] = value_and_grad(m, [&] { return mean(square(m(x))); });
        o.step(m, gradients);
        return loss;
      },
      {.backend = Backend::eager});
  for (const int rows : {8, 5, 3, 7}) step(model, optimizer, ones({rows, 4}));
  CHECK(step.stats().recordings == 2);
}

TEST_CASE(
    "computed sizes: a gradient has the shape of its value, also if a product assumed the size") {
  const auto loss = [](const Tensor& a, const Tensor& b) {
    const Tensor shifted = pad(slice(a, 1, 1, a.size(1)), {{0, 0}, {1, 0}});
    return mean(square(matmul(shifted, b))) + mean(square(matmul(a, b)));
  };
  for (const bool marked : {false, true}) {
    Tensor a = counting({3, 4}), b = counting({4, 2});
    if (marked) mark_dynamic(a, 1), mark_dynamic(b, 0);
    const auto slope = grad(loss, 1);
    CHECK(near_tensor(compile(slope)(a, b), slope(a, b)));
  }
}

TEST_CASE(
    "computed sizes: branches, loop steps and cotangents keep sizes that were assumed equal") {
  const auto cut = [](const Tensor& x, int rows) { return slice(x, 0, rows, x.size(0)); };
  const auto branch = [cut](const Tensor& a, const Tensor& b) {
    return cond(
        sum(a) > 0.0f, [cut](const Tensor& x, const Tensor&) { return cut(x, 1); },
        [cut](const Tensor&, const Tensor& y) { return cut(y, 3); }, a, b);
  };
  const auto loop = [cut](const Tensor& a, const Tensor& b) {
    const auto step = [&](const Tensor&, const Tensor& y) { return std::pair{cut(b, 3) * y, y}; };
    return scan(step, cut(a, 1), arange(3)).first;
  };
  const auto tangent = [](const Tensor& a, const Tensor& b) {
    const Tensor along = slice(concatenate({a, a}, 0), 0, 0, b.size(0));
    return jvp([](const Tensor& x) { return x * x; }, b, along).tangent;
  };
  const auto check = [](auto function) {
    auto compiled = compile(function, {.backend = Backend::aot_eager});
    for (const int rows : {3, 5}) {
      Tensor a = counting({rows, 2}), b = counting({rows + 2, 2});
      mark_dynamic(a, 0), mark_dynamic(b, 0);
      CHECK(near_tensor(compiled(a, b), function(a, b)));
    }
    CHECK(compiled.stats().variants == 1);
  };
  check(branch), check(loop), check(tangent);
}
