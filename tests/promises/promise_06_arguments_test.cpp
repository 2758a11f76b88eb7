// test: moved
// Promise 6: the function runs once, with placeholders, on copies; what may be an argument and a
// result.

#include <doctest/doctest.h>

#include <array>
#include <map>
#include <optional>
#include <tuple>

#include "promises/promises.hpp"

using namespace testing;

namespace {

struct Counter {
  Tensor total = zeros({2});
  SINTER_MODULE(Counter, total)
  Tensor forward(const Tensor& x) { return total += x; }
};

struct Scaled {
  Tensor weight = full({2}, 2.0f);
  float factor = 1;
  SINTER_MODULE(Scaled, weight, factor)
  Tensor forward(const Tensor& x) const { return x * weight * factor; }
};

struct Found {
  Tensor value;
  std::optional<Tensor> extra{};
  std::vector<Tensor> list{};
  int number = 0;
  SINTER_MODULE(Found, value, extra, list, number)
};

}  // namespace

TEST_CASE("promise 2.6: the function runs once for each signature") {
  static int runs = 0;
  const auto f = compile([](const Tensor& x) {
    ++runs;
    return x + 1.0f;
  });
  for (int i = 0; i < 5; ++i) CHECK(is(f(zeros({4})), 1));
  CHECK(runs == (jit::checks() ? 5 : 1));  // SINTER_CHECK=1 runs it again to compare
  CHECK(f.stats().recordings == 1);
  CHECK(f.stats().calls == 5);
}

TEST_CASE("promise 2.6: it runs on a copy of each module argument") {
  static const void* seen = nullptr;
  const auto f = compile([](Counter& counter, const Tensor& x) {
    seen = &counter;
    counter.total += x;
  });
  Counter counter;
  f(counter, ones({2}));
  CHECK(seen != nullptr);
  CHECK(seen != &counter);
  CHECK(is(counter.total, 1));
}

TEST_CASE("promise 2.6: changes of the copy are written back at the end, or not at all") {
  static bool throws = true;
  const auto f = compile([](Counter& counter, Tensor& other, const Tensor& x) {
    counter.total += x;
    other = counter.total * 2.0f;
    if (throws) throw std::runtime_error("of the user");
  });
  Counter counter;
  Tensor other = ones({2});
  CHECK_THROWS_AS(f(counter, other, ones({2})), std::runtime_error);
  CHECK(is(counter.total, 0));
  CHECK(is(other, 1));
  throws = false;
  f(counter, other, ones({2}));
  CHECK(is(counter.total, 1));
  CHECK(is(other, 2));
}

TEST_CASE("promise 2.6: every leaf has its own placeholder: f(x, x), then f(x, y)") {
  const auto f = compile([](const Tensor& a, const Tensor& b) { return a * 2.0f - b; });
  const Tensor x = vector({1, 2}), y = vector({5, 7});
  CHECK(near(f(x, x), {1, 2}));
  CHECK(near(f(x, y), {-3, -3}));
  CHECK(near(f(y, x), {9, 12}));
  CHECK(f.stats().recordings == 1);
}

TEST_CASE("promise 2.6: two handles of one value are two leaves, and one is changed") {
  const auto add = compile([](Tensor& total, const Tensor& x) { total += x; });
  Tensor total = ready(ones({64}));
  const Tensor x = total;
  for (int i = 2; i < 5; ++i) {
    add(total, x);
    CHECK(is(total, i));
    CHECK(is(x, 1));
  }
  CHECK(add.stats().recordings == 1);
}

TEST_CASE("promise 2.6: compile(lvalue) keeps a reference") {
  Scaled module;
  const auto f = compile(module);
  CHECK(is(f(ones({2})), 2));
  module.weight = full({2}, 5.0f);
  CHECK(is(f(ones({2})), 5));
  module.factor = 2;
  CHECK(is(f(ones({2})), 10));
  Counter counter;
  const auto count_up = compile(counter);
  for (int i = 0; i < 3; ++i) count_up(ones({2}));
  CHECK(is(counter.total, 3));
}

TEST_CASE("promise 2.6: compile(rvalue) owns") {
  Scaled module;
  const auto f = compile(Scaled(module));
  module.weight = full({2}, 5.0f);
  CHECK(is(f(ones({2})), 2));
  const auto make = [] {
    Counter local;
    return compile(std::move(local));
  };
  const auto count_up = make();
  count_up(ones({2}));
  CHECK(is(count_up(ones({2})), 2));
}

TEST_CASE("promise 2.6: results may be tuples, arrays, maps and structs") {
  const auto tuple = compile([](const Tensor& x) { return std::tuple{x + 1.0f, 3, x * 2.0f}; });
  const auto array = compile([](const Tensor& x) { return std::array<Tensor, 2>{x, -x}; });
  const auto map = compile([](const Tensor& x) {
    return std::map<std::string, Tensor>{{"a", x + 1.0f}, {"b", x}};
  });
  const auto found = compile([](const Tensor& x) {
    return Found{x + 1.0f, x * 3.0f, {x, x * 2.0f}, x.ndim()};
  });
  const Tensor x = ones({2});
  for (int again = 0; again < 2; ++again) {
    const auto [one, three, two] = tuple(x);
    CHECK(is(one, 2));
    CHECK(three == 3);
    CHECK(is(two, 2));
    CHECK(is(array(x)[1], -1));
    CHECK(is(map(x).at("a"), 2));
    const Found result = found(x);
    CHECK(is(result.value, 2));
    CHECK(is(result.extra.value(), 3));
    CHECK(is(result.list.at(1), 2));
    CHECK(result.number == 1);
  }
}

TEST_CASE("promise 2.6: results may be plain values, nothing, or an argument as it came") {
  const auto number = compile([](const Tensor& x) { return x.ndim() * 10; });
  const auto text_of = compile([](const Tensor& x) { return to_string(x.dtype()); });
  const auto same_value = compile([](const Tensor& x) { return x; });
  const auto nothing = compile([](const Tensor&) {});
  const Tensor x = vector({1, 2});
  for (int again = 0; again < 2; ++again) {
    CHECK(number(x) == 10);
    CHECK(text_of(x) == "f32");
    CHECK(near(same_value(x), {1, 2}));
    nothing(x);
  }
}

TEST_CASE("promise 2.6: functions, lambdas, functors and modules are compiled alike") {
  struct Functor {
    Tensor operator()(const Tensor& x) const { return x + 3.0f; }
  };
  Tensor (*const pointer)(const Tensor&) = [](const Tensor& x) { return x + 3.0f; };
  const Tensor x = zeros({3});
  CHECK(is(compile(Functor())(x), 3));
  CHECK(is(compile(pointer)(x), 3));
  CHECK(is(compile(*pointer)(x), 3));
  CHECK(is(compile(nn::Identity())(x), 0));
}
