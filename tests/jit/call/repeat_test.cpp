// test: moved
#include <doctest/doctest.h>
#include <sinter/jit/call/repeat.hpp>

#include "jit/support.hpp"

using namespace testing;

namespace {

struct Scale {
  Tensor factor = vector({2, 3});
  Scalar offset = 1.0f;
  SINTER_MODULE(Scale, factor, offset)
  Tensor forward(const Tensor& x) const { return x * factor + offset; }
};

struct Counter {
  Tensor total = vector({0, 0});
  SINTER_MODULE(Counter, total)
};

const auto add_up = [](Counter& counter, const Tensor& x) { counter.total += x; };

}  // namespace

TEST_CASE("repeat: calls with other tensors of the same sizes read the new elements") {
  const auto twice = compile([](const Tensor& x) { return x * 2; });
  for (int i = 0; i < 20; ++i) {
    const auto number = static_cast<float>(i);
    CHECK(near(twice(vector({number, number + 1})), Numbers{2.0 * i, 2.0 * i + 2}));
  }
  CHECK(near(twice(vector({1, 2, 3})), Numbers{2, 4, 6}));
  CHECK(near(twice(vector({4, 5})), Numbers{8, 10}));
}

TEST_CASE("repeat: an assigned or resized parameter is detected") {
  Scale scale;
  const auto function = compile(scale);
  const Tensor x = vector({1, 1});
  for (int i = 0; i < 3; ++i) CHECK(near(function(x), Numbers{3, 4}));
  for (int i = 0; i < 10; ++i) {
    scale.factor = vector({static_cast<float>(i), 5});
    CHECK(near(function(x), Numbers{i + 1.0, 6}));
  }
  scale.offset = 10;
  CHECK(near(function(x), Numbers{19, 15}));
  scale.factor = integers({1, 2});
  CHECK(near(function(x), Numbers{11, 12}));
  scale.factor = tensor({1, 2, 3, 4}, {2, 2});
  CHECK(near(function(x), Numbers{11, 12, 13, 14}));
}

TEST_CASE("repeat: state is updated in the module of this call") {
  const auto function = compile(add_up);
  Counter first, second;
  for (int i = 1; i <= 5; ++i) {
    function(first, vector({1, 2}));
    CHECK(near(first.total, Numbers{1.0 * i, 2.0 * i}));
    function(second, vector({10, 20}));
    CHECK(near(second.total, Numbers{10.0 * i, 20.0 * i}));
  }
  Counter moved = std::move(first);
  function(moved, vector({1, 1}));
  CHECK(near(moved.total, Numbers{6, 11}));
  const Counter snapshot = moved;
  function(moved, vector({1, 1}));
  CHECK(near(moved.total, Numbers{7, 12}));
  CHECK(near(snapshot.total, Numbers{6, 11}));
}

TEST_CASE("repeat: a dynamic size that changes is read again") {
  const auto total_of = [](int size) { return 0.25 * size * size * (size - 1) * (size - 1); };
  const auto total = compile([](const Tensor& x) { return sum(reshape(x, {x.size(0), 1}) * x); });
  for (const int size : {3, 5, 5, 2, 3, 64, 3}) {
    Tensor x = counting({size});
    mark_dynamic(x, 0);
    CHECK(near(total(x), Numbers{total_of(size)}));
  }
  CHECK(total.stats().recordings == 1);
}
