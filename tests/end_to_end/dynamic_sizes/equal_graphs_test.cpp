// Graphs that are equal up to the assignment of symbols to sizes share a program: it must use the
// sizes of each, at graph breaks on one line, in different functions, and in bodies of control
// flow.

#include <doctest/doctest.h>

#include "jit/support.hpp"

using namespace testing;

namespace {

using Sizes = std::vector<std::pair<std::int64_t, std::int64_t>>;

const Sizes several{{4, 5}, {6, 9}, {3, 100}, {50, 7}, {1000, 7}, {7, 1000}, {2, 3}, {3, 2}};

Tensor counted(std::int64_t size, float first = 0) { return arange(size).to(f32) + first; }

// Reads a tensor on the host, always on the same line.
float total(const Tensor& x) { return sum(x * 2).item<float>(); }
float total_of_list(const Tensor& x) {
  float result = 0;
  for (const float element : (x * 2).to_vector<float>()) result += element;
  return result;
}
Tensor chosen(const Tensor& x) { return masked_select(x * 2, x > 1.5f); }
Tensor places(const Tensor& x) { return nonzero(x * 2 > 3).to(f32); }
Tensor picked(const Tensor& x) { return (x * 2)[x > 1.5f]; }

// Compiled and uncompiled calls agree, for sizes that change, marked or not.
template <class F>
void require_same(F function, bool marked) {
  const auto compiled = compile(function);
  for (const auto& [n, m] : several) {
    Tensor a = counted(n), b = counted(m, 1);
    if (marked) mark_dynamic(a, 0), mark_dynamic(b, 0);
    INFO(text(n, " and ", m, marked ? ", marked" : ""));
    CHECK(near_tensor(compiled(a, b), function(a, b)));
  }
  CHECK(compiled.stats().eager_calls == 0);
}

template <class F>
void require_same(F function) {
  for (const bool marked : {false, true}) require_same(function, marked);
}

int chosen_size = 0;  // read by a function without captures, so that only its arguments are guarded

}  // namespace

TEST_CASE("equal graphs: a read on one line, of tensors of two sizes") {
  require_same([](const Tensor& a, const Tensor& b) { return full({1}, total(a) + total(b)); });
  require_same([](const Tensor& a, const Tensor& b) {
    return full({2}, total_of_list(a) - 3 * total_of_list(b));
  });
}

TEST_CASE("equal graphs: tensors with data-dependent sizes, on one line") {
  require_same([](const Tensor& a, const Tensor& b) { return sum(chosen(a)) - chosen(b) * 2; });
  require_same([](const Tensor& a, const Tensor& b) { return sum(places(a)) - places(b) * 2; });
  require_same([](const Tensor& a, const Tensor& b) { return picked(a) * 2 + sum(picked(b)); });
}

TEST_CASE("equal graphs: a loop over the arguments") {
  require_same([](const Tensor& a, const Tensor& b) {
    Tensor result = sum(a) * 0;
    for (const Tensor& x : {a, b, a, concatenate({a, b}, 0)}) result = result * 3 + total(x);
    return result;
  });
}

TEST_CASE("equal graphs: graphs of two functions that number their sizes separately") {
  const auto first = [](const Tensor& a, const Tensor&) { return exp(a * 0.01f) + 1; };
  const auto second = [](const Tensor&, const Tensor& b) { return exp(b * 0.01f) + 1; };
  const auto one = compile(first);
  const auto two = compile(second);
  for (const auto& [n, m] : several) {
    Tensor a = counted(n), b = counted(m, 1);
    mark_dynamic(a, 0), mark_dynamic(b, 0);
    CHECK(near_tensor(one(a, b), first(a, b)));
    CHECK(near_tensor(two(a, b), second(a, b)));
  }
}

TEST_CASE("equal graphs: in-place updates of different sizes are distinguished") {
  const auto step = [](Tensor& a, Tensor& b) {
    for (Tensor* const state : {&a, &b}) *state += total(*state);
    return sum(a) + sum(b);
  };
  const auto compiled = compile(step);
  for (const auto& [n, m] : several) {
    Tensor a = counted(n), b = counted(m, 1), c = a + 0, d = b + 0;
    CHECK(near_tensor(compiled(a, b), step(c, d)));
    CHECK(near_tensor(a, c));
    CHECK(near_tensor(b, d));
  }
}

TEST_CASE("equal graphs: bodies that read different sizes are different bodies") {
  bool takes_first = true;
  const auto function = [&](const Tensor& a, const Tensor& b) {
    const Extent size = takes_first ? a.size(0) : b.size(0);
    return cond(
        sum(a) > -1, [&](const Tensor& x) { return sum(full({size}, 2.0f)) * x; },
        [&](const Tensor& x) { return x; }, sum(b));
  };
  const auto compiled = compile(function);
  for (const auto& [n, m] : several) {
    Tensor a = counted(n), b = counted(m, 1);
    mark_dynamic(a, 0), mark_dynamic(b, 0);
    for (const bool first : {true, false, true}) {
      takes_first = first;
      CHECK(near_tensor(compiled(a, b), function(a, b)));
    }
  }
}

TEST_CASE(
    "equal graphs: updates of rows of two states at one position are checked for each state") {
  const auto mark = compile([](Tensor& a, Tensor& b, const Tensor& at) {
    a = index_put(a, {at}, 1.0f), b = index_put(b, {at}, 2.0f);
  });
  for (const auto& [n, m] : {std::pair{8, 4}, {4, 8}, {6, 6}}) {
    Tensor a = zeros({n, 3}), b = zeros({m, 3});
    mark_dynamic(a, 0), mark_dynamic(b, 0);
    mark(a, b, from_vector(std::vector<std::int64_t>{1, 3}, {2}));
    const Tensor far = from_vector(std::vector<std::int64_t>{2, 7}, {2});
    CHECK_THROWS_AS(mark(a, b, far), IndexError);
    CHECK(sum(a).item<float>() == 6);
    CHECK(sum(b).item<float>() == 12);
  }
}

TEST_CASE("equal graphs: typed expressions of sizes that another recording assumed equal") {
  const auto halved = [](const TensorOf<float, dyn>& x) -> Tensor {
    return relu(x) * 2.0f + sum(x, 0, true);
  };
  const auto equal = [&](const Tensor& a, const Tensor& b) { return halved(a + b) + halved(b); };
  const auto apart = [&](const Tensor& a, const Tensor& b) {
    return sum(halved(b)) + halved(a) - sum(halved(a));
  };
  const auto one = compile(equal);
  const auto other = compile(apart);
  for (const auto& [n, m] : several) {
    Tensor a = counted(n), b = counted(n, 1), c = counted(m);
    mark_dynamic(a, 0), mark_dynamic(b, 0), mark_dynamic(c, 0);
    CHECK(near_tensor(one(a, b), equal(a, b)));
    CHECK(near_tensor(other(a, c), apart(a, c)));
    CHECK(near_tensor(other(c, a), apart(c, a)));
  }
}

TEST_CASE("equal graphs: SINTER_CHECK distinguishes graphs of different sizes") {
  const auto compiled = compile([](const Tensor& a, const Tensor& b) {
    return ones({chosen_size == 0 ? a.size(0) : b.size(0)}) + sum(a) + sum(b);
  });
  Tensor a = counted(4), b = counted(5);
  mark_dynamic(a, 0), mark_dynamic(b, 0);
  CHECK(compiled(a, b).size(0) == 4);
  chosen_size = 1;
  CHECK(contains(message_of<ValueError>([&] { compiled(a, b); }), "recorded other operations"));
  chosen_size = 0;
}
