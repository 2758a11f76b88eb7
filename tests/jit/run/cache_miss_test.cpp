// test: moved
// Calls that no variant serves: when the recording replaces the function, and when every call is
// traced.

#include "support.hpp"

#include <map>
#include <optional>

using namespace testing;

namespace {

Tensor global_tensor = ones({2});

struct Partial {
  Tensor weight = ones({2});
  int hidden = 1;
  static constexpr int unlisted = 1;
  SINTER_MODULE(Partial, weight)
  Tensor forward(const Tensor& x) { return x * weight * static_cast<float>(hidden++); }
};

struct Pair {
  Tensor first{};
  float number = 0;
  SINTER_MODULE(Pair, first, number)
};

// How often three equal calls trace the function.
template <class F>
std::int64_t recordings(F&& function) {
  const auto compiled = compile(std::forward<F>(function));
  for (int i = 0; i < 3; ++i) compiled(ones({2}));
  return compiled.stats().recordings;
}

}  // namespace

TEST_CASE("cache_miss: a function without captures is traced once") {
  CHECK(recordings([](const Tensor& x) { return x + 1.0f; }) == 1);
  CHECK(recordings(+[](const Tensor& x) { return x + 1.0f; }) == 1);
  CHECK(recordings(grad([](const Tensor& x) { return sum(x * x); })) == 1);
}

TEST_CASE(
    "cache_miss: captures, global tensors and unlisted members make the function traced on every "
    "call") {
  int number = 1;
  CHECK(recordings([&](const Tensor& x) { return x + number; }) == 3);
  CHECK(recordings([](const Tensor& x) { return x + global_tensor; }) == 3);
  CHECK(recordings([](const Tensor&) { return global_tensor; }) == 3);
  CHECK(recordings(Partial()) == 3);
  CHECK(recordings([](const Tensor& x) { return sum(x).item<float>() > 0 ? x : x * 2.0f; }) == 3);
  CHECK(recordings(assume_pure([number](const Tensor& x) { return x + number; })) == 1);
  CHECK(recordings(assume_pure([](const Tensor&) { return global_tensor; })) <= 3);
}

TEST_CASE("cache_miss: values that outlive the call make the function traced on every call") {
  static std::vector<Tensor> history;
  const auto remember = [](const Tensor& x) {
    const Tensor h = x * 2.0f;
    history.push_back(h);
    return sum(h);
  };
  CHECK(recordings(remember) == 3);
  REQUIRE(history.size() == 3);
  for (const Tensor& h : history) CHECK(near(h, {2, 2}));
}

TEST_CASE("cache_miss: unlisted members may change between calls") {
  const auto compiled = compile(Partial());
  for (int i = 1; i < 5; ++i) CHECK(near(compiled(ones({2})), Numbers(2, i)));
}

TEST_CASE("cache_miss: functions traced on every call return all kinds of results") {
  const Tensor offset = ones({2});
  const auto check = [&](auto function, auto expect) {
    const auto compiled = compile(std::move(function));
    for (int i = 0; i < 3; ++i) expect(compiled(full({2}, static_cast<float>(i))), i);
    CHECK(compiled.stats().recompiles <= 1);
  };
  check(
      [&](const Tensor& x) {
        return Pair{x + offset, 2.5f};
      },
      [](const Pair& pair, int i) {
        CHECK(near(pair.first, Numbers(2, i + 1)));
        CHECK(pair.number == 2.5f);
      });
  check(
      [&](const Tensor& x) {
        return std::map<std::string, Tensor>{{"a", x}, {"b", x + offset}};
      },
      [](const std::map<std::string, Tensor>& table, int i) {
        CHECK(near(table.at("a"), Numbers(2, i)));
        CHECK(near(table.at("b"), Numbers(2, i + 1)));
      });
  check([&](const Tensor& x) { return std::optional<Tensor>(x * offset); },
        [](const std::optional<Tensor>& y, int i) { CHECK(near(*y, Numbers(2, i))); });
  check([&](const Tensor& x) { return x.ndim() + offset.ndim(); },
        [](int sum_of_ranks, int) { CHECK(sum_of_ranks == 2); });
  check([&](const Tensor&) -> const Tensor& { return offset; },
        [](const Tensor& y, int) {
          CHECK(near(y, {1, 1}));
        });
  check([&](const TensorOf<float, 2>& x) { return x * TensorOf<float, 2>(offset) + 1.0f; },
        [](const Tensor& y, int i) { CHECK(near(y, Numbers(2, i + 1))); });
  check([&](const Tensor& x) { return Scalar(sum(x + offset)); },
        [](const Scalar& y, int i) { CHECK(y.item<float>() == 2.0f * static_cast<float>(i + 1)); });
}

TEST_CASE(
    "cache_miss: functions traced on every call without a result, and structures that they "
    "change") {
  const Tensor offset = ones({2});
  const auto compiled = compile([&](std::vector<Tensor>& list, const Tensor& x) {
    list.push_back(x + offset);
    list.front() = list.front() + 1.0f;
  });
  std::vector<Tensor> list;
  for (int i = 1; i < 4; ++i) {
    compiled(list, zeros({2}));
    REQUIRE(list.size() == static_cast<std::size_t>(i));
    CHECK(near(list.front(), Numbers(2, i + 1)));
    if (i > 1) CHECK(near(list.back(), {1, 1}));
  }
}

TEST_CASE(
    "cache_miss: a compiled function can be a member of a module and be called in another "
    "function") {
  const auto inner = compile([](const Tensor& x) { return x * 2.0f; });
  const auto outer = compile([&](const Tensor& x) { return inner(x) + 1.0f; });
  for (int i = 0; i < 3; ++i) CHECK(near(outer(ones({2})), {3, 3}));
  CHECK(inner.stats().calls == 0);
  CHECK(outer.stats().graphs == 1);
}

TEST_CASE("cache_miss: copies of a compiled function share compiled code") {
  int power = 2;
  const auto compiled = compile([&](const Tensor& x) { return power == 2 ? x * x : x; });
  const auto copy = compiled;
  CHECK(near(compiled(full({2}, 3.0f)), {9, 9}));
  CHECK(near(copy(full({2}, 4.0f)), {16, 16}));
  CHECK(compiled.stats().recordings == 2);
  CHECK(compiled.stats().recompiles == 0);
}
