// test: moved
// Varying sizes: marked, named, detected, compared by the program.

#include <doctest/doctest.h>

#include <numeric>
#include <random>

#include "jit/support.hpp"
#include "moved.hpp"

using namespace testing;
using sinter_test::by_device;

namespace {

struct Net {
  nn::Linear in{8, 32}, out{32, 4};
  nn::LayerNorm norm{32};
  SINTER_MODULE(Net, in, out, norm)
  Tensor forward(const Tensor& x) const { return softmax(out(norm(gelu(in(x)))), -1); }
};

Tensor marked(Tensor x, int dim = 0, DimRange range = {}) {
  elements_of(x);
  mark_dynamic(x, dim, range);
  return x;
}

const auto heads = [](const Tensor& x) {
  const Tensor split = reshape(x, {x.size(0), x.size(1), 2, 3});
  return reshape(permute(split, {0, 2, 1, 3}) * 2.0f, {x.size(0), 2 * x.size(1) * 3});
};

}  // namespace

TEST_CASE("varying sizes: batches of 1 to 64 in random order, 1,000 calls, are one variant") {
  const Net net;
  const auto f = compile(net);
  const auto eager = compile(net, {.backend = Backend::eager});
  std::mt19937 random(1);
  const int calls = by_device(jit::checks() ? 200 : 1000, 24);
  for (int call = 0; call < calls; ++call) {
    const int batch = 1 + static_cast<int>(random() % 64);
    const Tensor x = marked(randn({batch, 8}), 0, {.min = 1, .max = 64});
    const Tensor found = f(x);
    if (call % 20 == 0 || batch == 1) CHECK(near_tensor(found, eager(x)));
  }
  CHECK(f.stats().variants == 1);
  CHECK(f.stats().recompiles == 0);
  CHECK(f.stats().calls == calls);
}

TEST_CASE("varying sizes: an unmarked size is static until it changes, and then dynamic") {
  const auto f = compile([](const Tensor& x) { return softmax(x * 2.0f, -1); });
  for (const int size : {5, 5, 9, 2, 100}) {
    const Tensor x = randn({3, size});
    CHECK(near_tensor(f(x), softmax(x * 2.0f, -1)));
  }
  CHECK(f.stats().recordings == 2);
  CHECK(f.stats().recompiles == 1);
  f(randn({3, 1}));  // 1 is specialised unless it is marked
  CHECK(f.stats().recompiles == 2);
}

TEST_CASE("varying sizes: Dynamic::on and ::off decide from the first call on") {
  const auto on = compile([](const Tensor& x) { return x * 2.0f; }, {.dynamic = Dynamic::on});
  const auto off = compile([](const Tensor& x) { return x * 2.0f; }, {.dynamic = Dynamic::off});
  for (int size = 2; size < 6; ++size) {
    on(zeros({size, size + 1}));
    off(zeros({size, size + 1}));
  }
  CHECK(on.stats().recordings == 1);
  CHECK(off.stats().recordings == 4);
}

TEST_CASE("varying sizes: mark_static keeps a size static") {
  const auto f = compile([](const Tensor& x) { return x + 1.0f; });
  for (const int size : {4, 5, 6}) {
    Tensor x = zeros({size, size});
    mark_static(x, 0);
    CHECK(near_tensor(f(x), ones({size, size})));
  }
  CHECK(f.stats().recordings == 3);
}

TEST_CASE("varying sizes: the range of a mark is guarded") {
  const auto f = compile([](const Tensor& x) { return x + 1.0f; });
  f(marked(zeros({8}), 0, {.min = 4, .max = 16, .multiple_of = 4}));
  f(marked(zeros({16}), 0, {.min = 4, .max = 16, .multiple_of = 4}));
  CHECK(f.stats().recordings == 1);
  CHECK(near_tensor(f(zeros({6})), ones({6})));
  CHECK(f.stats().recordings == 2);
  CHECK(contains(f.explain().recompiles.at(0),
                 "argument 0: expected 4 <= size(0) <= 16, a multiple of 4, found 6"));
  Tensor x = zeros({6});
  MISTAKE(ValueError, mark_dynamic(x, 0, {.min = 8}), "min 8");
  MISTAKE(IndexError, mark_dynamic(x, 1), "axis  1");
}

TEST_CASE("varying sizes: marks travel with copies of the handle") {
  const auto f = compile([](const Tensor& x) { return x + 1.0f; });
  const Tensor x = marked(zeros({8}));
  const Tensor copy = x;
  f(copy);
  f(zeros({9}));
  CHECK(f.stats().recordings == 1);
}

TEST_CASE("varying sizes: an unmarked size that has to equal a marked one follows it") {
  const auto f = compile([](const Tensor& a, const Tensor& b) { return mean(square(a - b)); });
  for (const int size : {5, 7, 2, 1, 9}) {
    const Tensor a = marked(randn({size, 3})), b = randn({size, 3});
    CHECK(near_tensor(f(a, b), mean(square(a - b))));
  }
  CHECK(f.stats().recordings == 1);
  CHECK_THROWS_AS(f(marked(zeros({4, 3})), zeros({5, 3})), ShapeError);
  CHECK(f.stats().recordings == 1);
}

TEST_CASE("varying sizes: labels follow a marked batch that begins with 1 or 0") {
  for (const int first : {1, 0}) {
    const auto f = compile([](const Tensor& x, const Tensor& labels, const Tensor& scale) {
      return sum(index_select(x, 0, labels) * reshape(labels, {x.size(0), 1}).to(f32)) * scale;
    });
    for (const int size : {first, 7, 2, 1, 9}) {
      const Tensor x = marked(ones({size, 3})), labels = zeros({size}, i64);
      CHECK(near(f(x, labels, ones({1})), {0}));
    }
    CHECK(f.stats().recordings == 1);
  }
}

TEST_CASE("varying sizes: sizes that happen to be equal are not assumed equal") {
  const auto f = compile([](const Tensor& a, const Tensor& b) { return sum(a) * sum(b); });
  CHECK(near(f(marked(ones({4})), marked(ones({4}))), {16}));
  CHECK(near(f(marked(ones({4})), marked(ones({6}))), {24}));
  CHECK(f.stats().recordings == 1);
}

TEST_CASE("varying sizes: a number in the program violates a mark, at its line") {
  const auto f = compile([](const Tensor& x) { return x + ones({7, 8}); });
  const unsigned line = Where::current().line() - 1;
  try {
    f(marked(zeros({7, 8}), 0, {.min = 2, .max = 64}));
    FAIL_CHECK("nothing was thrown");
  } catch (const ConstraintError& error) {
    CHECK(error.where().line() == line);
    CHECK(contains(error.what(), "varying_sizes_test.cpp"));
    CHECK(contains(error.what(), "maybe_mark_dynamic"));
  }
}

TEST_CASE("varying sizes: maybe_mark_dynamic yields to a number in the program") {
  const auto f = compile([](const Tensor& x) { return x + ones({7, 8}); });
  Tensor x = zeros({7, 8});
  maybe_mark_dynamic(x, 0);
  maybe_mark_dynamic(x, 1);
  CHECK(near_tensor(f(x), ones({7, 8})));
}

TEST_CASE("varying sizes: comparisons of sizes are guarded, with their line") {
  const auto f = compile([](const Tensor& x) {
    if (x.size(0) > 4) return x * 2.0f;
    return x * 3.0f;
  });
  for (const int size : {8, 9, 5, 4, 2, 7, 1}) {
    CHECK(near_tensor(f(marked(ones({size}))), full({size}, size > 4 ? 2.0f : 3.0f)));
  }
  CHECK(f.stats().recordings == 2);
  CHECK(contains(f.explain().recompiles.at(0), "argument 0: expected size(0) > 4, found 4"));
  CHECK(contains(f.explain().recompiles.at(0), "varying_sizes_test.cpp"));
}

TEST_CASE("varying sizes: value() makes a size static; for a marked one it is an error") {
  const auto f = compile([](const Tensor& x) { return x * static_cast<float>(x.size(0).value()); },
                         {.dynamic = Dynamic::on});
  for (const int size : {3, 4, 3})
    CHECK(near_tensor(f(ones({size})), full({size}, static_cast<float>(size))));
  CHECK(f.stats().recordings == 2);
  CHECK_THROWS_AS(f(marked(ones({5}))), ConstraintError);
}

TEST_CASE("varying sizes: programs compute with shapes, for any size") {
  const auto f = compile(heads);
  for (const int batch : {4, 1, 3}) {
    for (const int length : {5, 2, 7}) {
      Tensor x = marked(randn({batch, length, 6}));
      mark_dynamic(x, 1);
      CHECK(near_tensor(f(x), heads(x)));
    }
  }
  CHECK(f.stats().recordings == 1);
}

TEST_CASE("varying sizes: split and concatenated axes have their own sizes") {
  const auto function = [](const Tensor& x) {
    const Tensor longer = pad(x, {{1, 2}});
    return longer[Slice{1, longer.size(0) - 1}] * 2.0f + flip(pad(x, {{1, 0}}), {0});
  };
  const auto f = compile(function);
  for (const int size : {5, 2, 1, 9}) {
    const Tensor x = marked(randn({size}));
    CHECK(near_tensor(f(x), function(x)));
  }
  CHECK(f.stats().recordings == 1);
}

TEST_CASE("varying sizes: concatenated tensors may have equal sizes by value, not by expression") {
  const auto function = [](const Tensor& x) {
    const Tensor turned = slice(concatenate({x, x}, 0), 0, 1, x.size(0) + 1);
    return concatenate({turned, x}, 1) + sum(stack({turned, x}, 0));
  };
  const auto f = compile(function);
  for (const int size : {5, 2, 9}) {
    const Tensor x = marked(randn({size, 3}));
    CHECK(near_tensor(f(x), function(x)));
  }
  CHECK(f.stats().recordings == 1);
}
