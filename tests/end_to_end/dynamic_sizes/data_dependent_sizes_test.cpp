// Data-dependent sizes: the number of elements that a mask selects, the length of host arrays,
// numbers read on the host. They become dynamic when they vary, like sizes of arguments.

#include <doctest/doctest.h>

#include "jit/support.hpp"

using namespace testing;

namespace {

const std::vector<std::int64_t> row_counts{5, 9, 3, 17, 33, 4, 21, 40, 8, 60, 61, 2, 62};

Tensor numbered(std::int64_t rows) { return reshape(arange(rows * 7).to(f32), {rows, 7}) - rows; }

// Compiled and uncompiled calls agree, with at most `most` further compilations.
template <class F>
void require_few(F function, std::int64_t most) {
  for (const bool marked : {false, true}) {
    const auto compiled = compile(function);
    for (const std::int64_t rows : row_counts) {
      Tensor x = numbered(rows);
      if (marked) mark_dynamic(x, 0);
      INFO(text(rows, " rows", marked ? ", marked" : ""));
      CHECK(near_tensor(compiled(x), function(x)));
    }
    const Stats stats = compiled.stats();
    CHECK(stats.eager_calls == 0);
    CHECK(stats.recompiles <= most);
  }
}

std::int64_t positive(const Tensor& x) { return sum(x > 0).item<std::int64_t>(); }

}  // namespace

TEST_CASE("data dependent sizes: the elements that a mask selects") {
  require_few([](const Tensor& x) { return sum(x[x > 0] * 2); }, 2);
  require_few([](const Tensor& x) { return x[x > 0] * 2 + 1; }, 2);
  require_few([](const Tensor& x) { return x[x > 0] * 2 + (x + 1)[x > 0]; }, 2);
  require_few([](const Tensor& x) { return nonzero(x > 3).to(f32) * 2; }, 2);
  require_few([](const Tensor& x) { return unique(floor(x / 3)) * 2; }, 2);
  require_few([](const Tensor& x) { return concatenate({x[x > 0] * 2, x[x > 5]}, 0) * 3; }, 3);
}

TEST_CASE("data dependent sizes: elements that the function writes on the host") {
  const auto doubled = [](const Tensor& x) {
    std::vector<float> elements = x.to_vector<float>();
    for (float& element : elements) element *= 2;
    return elements;
  };
  require_few([=](const Tensor& x) { return from_vector(doubled(x), x.shape()) * x; }, 2);
  require_few(
      [=](const Tensor& x) {
        const std::vector<float> elements = doubled(x);
        const Tensor made = from_vector(elements, {static_cast<std::int64_t>(elements.size())});
        return made * made.to_vector<float>()[0] + flatten(x);
      },
      2);
}

TEST_CASE("data dependent sizes: a captured list") {
  std::vector<std::int64_t> rows;
  const auto picked = [&](const Tensor& x) {
    return x[from_vector(rows, {static_cast<std::int64_t>(rows.size())})] * 2;
  };
  const auto compiled = compile(picked);
  for (std::int64_t count = 2; count < 14; ++count) {
    rows.push_back(count);
    rows.push_back(1);
    const Tensor x = numbered(20);
    CHECK(near_tensor(compiled(x), picked(x)));
  }
  CHECK(compiled.stats().recompiles == 1);
  CHECK(compiled.stats().eager_calls == 0);
}

TEST_CASE("data dependent sizes: numbers that the function reads from tensors") {
  require_few([](const Tensor& x) { return arange(positive(x)).to(f32) * 2; }, 2);
  require_few([](const Tensor& x) { return zeros({positive(x), 2}) + 2 * x[0][0]; }, 3);
  require_few([](const Tensor& x) { return flatten(x)[Slice{0, positive(x)}] * 2; }, 3);
  require_few([](const Tensor& x) { return flatten(x)[Slice{-positive(x), -1}] * 2; }, 3);
  require_few([](const Tensor& x) { return flatten(x)[positive(x) - 1] * 2; }, 3);
  require_few([](const Tensor& x) { return narrow(flatten(x), 0, 0, positive(x)) + 1; }, 3);
  require_few([](const Tensor& x) { return reshape(x[x > 0], {positive(x), 1}) * 2; }, 3);
  require_few([](const Tensor& x) { return expand(sum(x), {positive(x)}) * 2; }, 3);
  require_few([](const Tensor& x) { return pad(x, {{0, positive(x)}, {0, 0}}) + 1; }, 3);
}

TEST_CASE("data dependent sizes: numbers that do not vary stay constants") {
  const auto compiled = compile([](const Tensor& x) {
    const bool more = sum(x).item<float>() > 0;
    return reshape(zeros({6}), {2, 3}) + x[Slice{1, 3}][1][3] + (more ? 1 : 2);
  });
  for (int i = 0; i < 3; ++i) compiled(numbered(5));
  CHECK(compiled.stats().recompiles == 0);
  CHECK(contains(text(compiled.explain()), "[2, 3]"));
}

TEST_CASE("data dependent sizes: gradients, state and two functions") {
  const auto loss = [](const Tensor& x) { return sum(x[x > 0] * x[x > 0]); };
  const auto gradient = compile([=](const Tensor& x) { return grad(loss)(x); });
  const auto plain = grad(loss);
  for (const std::int64_t rows : row_counts) {
    CHECK(near_tensor(gradient(numbered(rows)), plain(numbered(rows))));
  }
  CHECK(gradient.stats().eager_calls == 0);
  const auto step = compile([](Tensor& state, const Tensor& x) {
    const Tensor chosen = x[x > 0];
    state += sum(chosen);
    return from_vector(chosen.to_vector<float>(), {chosen.size(0)}) + state;
  });
  Tensor state = zeros({}), expected = zeros({});
  for (const std::int64_t rows : row_counts) {
    const Tensor x = numbered(rows), chosen = x[x > 0];
    expected += sum(chosen);
    CHECK(near_tensor(step(state, x), chosen + expected));
    CHECK(near_tensor(state, expected));
  }
  CHECK(step.stats().eager_calls == 0);
}

TEST_CASE(
    "data dependent sizes: a function that creates sizes only for some arguments is replayed for "
    "the others") {
  const auto compiled = compile([](const Tensor& x) {
    const Tensor three = from_vector(std::vector<float>{1, 2, 3}, {3});
    return x.ndim() == 1 ? x * three : sum(x[x > 0]) * three;
  });
  const Tensor row = ones({3});
  compiled(row);
  compiled(numbered(4));
  const std::int64_t recordings = compiled.stats().recordings;
  for (int i = 0; i < 3; ++i) CHECK(near_tensor(compiled(row), arange(3).to(f32) + 1));
  CHECK(compiled.stats().recordings == recordings);
}

TEST_CASE("data dependent sizes: a size of 1 belongs to the sizes of its call") {
  const auto compiled = compile([](const Tensor& x) {
    const std::int64_t rows = sum(x > 0).item<std::int64_t>();
    return zeros({rows, 5}) + sum(x);
  });
  for (const std::int64_t rows : {3, 1, 4, 2}) {
    const Tensor x = arange(6).to(f32) - static_cast<float>(5 - rows);
    CHECK(compiled(x).shape() == Shape{rows, 5});
  }
  CHECK(contains(text(compiled.explain()), ", 5]"));
}
