// test: moved
// Promise 12: what is guarded, and what never is.

#include <doctest/doctest.h>

#include <map>
#include <optional>

#include "promises/promises.hpp"

using namespace testing;

namespace {

enum class Kind : std::uint8_t { add, subtract };

struct Settings {
  std::optional<Tensor> bias{};
  std::vector<Tensor> list{ones({2})};
  std::map<std::string, Tensor> table{{"a", ones({2})}};
  int count = 1;
  bool negate = false;
  Kind kind = Kind::add;
  std::string name = "a";
  Scalar rate = 1.0f;
  SINTER_MODULE(Settings, bias, list, table, count, negate, kind, name, rate)

  Tensor forward(const Tensor& x) const {
    Tensor result = bias ? x + *bias : x;
    for (const Tensor& element : list) result += element;
    for (const auto& [key, value] : table) result += value * (key == "b" ? 10.0f : 1.0f);
    result = kind == Kind::add ? result + count : result - count;
    return (negate ? -result : result) * rate + (name == "b" ? 100.0f : 0.0f);
  }
};

// Calls before and after `change`. Gives why the second call was recorded again; nothing if it
// was not.
template <class Change>
std::vector<std::string> reasons(Change change) {
  Settings settings;
  const auto f = compile(settings);
  const Tensor x = vector({1, 2});
  CHECK(near_tensor(f(x), settings(x)));
  change(settings);
  for (int again = 0; again < 2; ++again) CHECK(near_tensor(f(x), settings(x)));
  CHECK(f.stats().recompiles == static_cast<std::int64_t>(f.explain().recompiles.size()));
  return f.explain().recompiles;
}

template <class Change>
void check_guarded(Change change, const std::string& part) {
  const std::vector<std::string> found = reasons(change);
  REQUIRE(found.size() == 1);
  INFO(found[0]);
  CHECK(contains(found[0], part));
  CHECK(contains(found[0], "promise_12_guards_test.cpp"));
}

const auto twice = [](const Tensor& x) { return x * 2.0f; };

// Calls with both; true if the second call was served by the recording of the first.
template <class F>
bool one_recording(F function, const Tensor& first, const Tensor& second,
                   CompileOptions options = {}) {
  const auto f = compile(function, options);
  CHECK(near_tensor(f(first), function(first)));
  CHECK(near_tensor(f(second), function(second)));
  return f.stats().recordings == 1;
}

}  // namespace

TEST_CASE("promise 2.12: dtype, rank and static sizes are guarded") {
  CHECK(one_recording(twice, ones({3, 4}), zeros({3, 4})));
  CHECK_FALSE(one_recording(twice, ones({3, 4}), ones({3, 4}, f64)));
  CHECK_FALSE(one_recording(twice, ones({3, 4}), ones({3, 4}, i32)));
  CHECK_FALSE(one_recording(twice, ones({3, 4}), ones({12})));
  CHECK_FALSE(one_recording(twice, ones({3, 4}), ones({3, 4, 1})));
  CHECK_FALSE(one_recording(twice, ones({3, 4}), ones({4, 3}), {.dynamic = Dynamic::off}));
  CHECK_FALSE(one_recording(twice, ones({3, 4}), ones({3, 5}), {.dynamic = Dynamic::off}));
}

TEST_CASE("promise 2.12: each assumption about a symbolic size is guarded") {
  const auto compares = [](const Tensor& x) { return x.size(0) > 4 ? x * 2.0f : x * 3.0f; };
  CHECK(one_recording(compares, marked(ones({5})), marked(ones({9}))));
  CHECK(one_recording(compares, marked(ones({4})), marked(ones({1}))));
  CHECK_FALSE(one_recording(compares, marked(ones({5})), marked(ones({4}))));
  const auto differs = [](const Tensor& x) { return x.size(0) != 7 ? x * 2.0f : x * 3.0f; };
  CHECK(one_recording(differs, marked(ones({6})), marked(ones({10}))));
  CHECK_FALSE(one_recording(differs, ones({6}), ones({7}), {.dynamic = Dynamic::on}));
}

TEST_CASE("promise 2.12: plain values are guarded") {
  check_guarded([](Settings& settings) { settings.count = 2; }, "self.count: expected 1, found 2");
  check_guarded([](Settings& settings) { settings.negate = true; }, "self.negate");
  check_guarded([](Settings& settings) { settings.kind = Kind::subtract; }, "self.kind");
  check_guarded([](Settings& settings) { settings.name = "b"; },
                "self.name: expected \"a\", found \"b\"");
}

TEST_CASE("promise 2.12: structure is guarded: optionals, lengths, keys") {
  check_guarded([](Settings& settings) { settings.bias = ones({2}); }, "self.bias");
  check_guarded([](Settings& settings) { settings.list.push_back(ones({2})); }, "self.list");
  check_guarded([](Settings& settings) { settings.list.clear(); }, "self.list");
  check_guarded([](Settings& settings) { settings.table["b"] = ones({2}); }, "self.table");
  check_guarded([](Settings& settings) { settings.table = {{"b", ones({2})}}; }, "self.table");
}

TEST_CASE("promise 2.12: whether a tensor is defined is guarded") {
  const auto f = compile(
      [](const Tensor& x, const Tensor& bias) { return bias.defined() ? x + bias : x * 3.0f; });
  CHECK(is(f(ones({2}), Tensor()), 3));
  CHECK(is(f(ones({2}), ones({2})), 2));
  CHECK(is(f(ones({2}), Tensor()), 3));
  CHECK(f.stats().recordings == 2);
}

TEST_CASE("promise 2.12: an earlier signature reuses its variant") {
  const auto f = compile(twice, {.dynamic = Dynamic::off});
  for (int round = 0; round < 3; ++round) {
    for (const int size : {2, 3, 4}) CHECK(is(f(ones({size})), 2));
  }
  CHECK(f.stats().recordings == 3);
  CHECK(f.stats().variants == 3);
}

TEST_CASE("promise 2.12: elements and Scalars are never guarded") {
  CHECK(reasons([](Settings& settings) { settings.rate = 5.0f; }).empty());
  CHECK(reasons([](Settings& settings) { settings.list[0] = zeros({2}); }).empty());
  CHECK(reasons([](Settings& settings) { settings.table["a"] = zeros({2}); }).empty());
}

TEST_CASE("promise 2.12: addresses are never guarded, whatever their alignment") {
  const std::vector<float> memory(200, 1.0f);
  const auto f = compile([](const Tensor& x) { return sum(x * 2.0f) + max(x); });
  for (int offset = 0; offset < 20; ++offset) {
    CHECK(is(f(view(memory.data() + offset, {100})), 201));
  }
  CHECK(f.stats().recordings == 1);
  CHECK(f.stats().kernels <= 2);
}

TEST_CASE("promise 2.12: the guards can be read") {
  const auto f = compile([](const Tensor& x, int times) { return x * times; });
  f(marked(ones({5, 3}), 0, {.min = 2, .max = 9}), 4);
  std::string all_guards;
  for (const std::string& guard : f.explain().guards) all_guards += guard + "\n";
  INFO(all_guards);
  CHECK(contains(all_guards, "argument 0 is f32[argument 0.size(0), 3]"));
  CHECK(contains(all_guards, "2 <= argument 0.size(0) <= 9"));
  CHECK(contains(all_guards, "4"));
}

TEST_CASE("promise 2.12: a divisibility that the program asks for is an assumption, guarded") {
  const auto f = compile([](const Tensor& x) {
    return x.size(0) % 2 == 0 ? reshape(x, {2, x.size(0) / 2}) : reshape(x, {1, x.size(0)});
  });
  for (const int size : {6, 10, 7, 2, 31, 64}) {
    const Tensor found = f(marked(ones({size})));
    CHECK(found.size(0).number() == (size % 2 == 0 ? 2 : 1));
    CHECK(near(found, Numbers(static_cast<std::size_t>(size), 1)));
  }
  CHECK(f.stats().recordings == 2);
  REQUIRE(f.explain().recompiles.size() == 1);
  CHECK(contains(f.explain().recompiles[0], "size(0)%2 == 0"));
  CHECK(contains(f.explain().recompiles[0], "promise_12_guards_test.cpp"));
}
