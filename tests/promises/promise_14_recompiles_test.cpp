// test: moved
// Promise 14: recompiling is limited, and every recompile says why.

#include <doctest/doctest.h>

#include "promises/promises.hpp"

using namespace testing;

namespace {

struct Model {
  nn::Linear up{3, 3};
  int times = 1;
  SINTER_MODULE(Model, up, times)
  Tensor forward(const Tensor& x) const { return up(x) * times; }
};

// Does something else with more rows.
struct Bounded {
  Tensor shift = zeros({1});
  int most = 0;
  SINTER_MODULE(Bounded, shift, most)
  Tensor forward(const Tensor& x) const { return x.size(0) > most ? x * 2.0f : x + shift; }
};

struct Steps {
  std::vector<Bounded> list{{zeros({1}), 100}, {zeros({1}), 6}};
  SINTER_MODULE(Steps, list)
  Tensor forward(const Tensor& x) const { return list[1](list[0](x)); }
};

const auto twice = [](const Tensor& x) { return x * 2.0f; };

}  // namespace

TEST_CASE("promise 2.14: at the limit the function runs eagerly for new signatures") {
  const auto f = compile(twice, {.dynamic = Dynamic::off, .recompile_limit = 3});
  static_cast<void>(said([&] {
    for (int size = 2; size < 9; ++size) CHECK(is(f(ones({size})), 2));
  }));
  CHECK(f.stats().variants == 3);
  CHECK(f.stats().eager_calls == 4);
  CHECK(f.stats().calls == 7);
  for (int size = 2; size < 5; ++size) CHECK(is(f(ones({size})), 2));
  CHECK(f.stats().eager_calls == 4);  // old signatures keep their variants
}

TEST_CASE("promise 2.14: the limit is 8 unless another is given") {
  const auto f = compile(twice, {.dynamic = Dynamic::off});
  static_cast<void>(said([&] {
    for (int size = 2; size < 14; ++size) f(ones({size}));
  }));
  CHECK(CompileOptions().recompile_limit == 8);
  CHECK(f.stats().variants == 8);
  CHECK(f.stats().eager_calls == 4);
}

TEST_CASE("promise 2.14: it is per result of compile") {
  const auto f = compile(twice, {.dynamic = Dynamic::off, .recompile_limit = 2});
  const auto g = compile(twice, {.dynamic = Dynamic::off, .recompile_limit = 2});
  for (const int size : {2, 3}) f(ones({size}));
  for (const int size : {4, 5}) g(ones({size}));
  CHECK(f.stats().eager_calls == 0);
  CHECK(g.stats().eager_calls == 0);
}

TEST_CASE("promise 2.14: it says so once, with the guard that failed each time and the remedy") {
  const auto f = compile(twice, {.dynamic = Dynamic::off, .recompile_limit = 2, .name = "twice"});
  const unsigned line = __LINE__ - 1;
  const std::string told = said([&] {
    for (int size = 2; size < 9; ++size) f(ones({size}));
  });
  INFO(told);
  CHECK(count(told, "recompile_limit = 2") == 1);
  CHECK(contains(told, text("promise_14_recompiles_test.cpp:", line)));
  CHECK(contains(told, "argument 0: expected size(0) == 2, found 3"));
  CHECK(contains(told, "found 4"));
  CHECK(contains(told, "Dynamic::automatic makes one serve all sizes"));
}

TEST_CASE("promise 2.14: every recompile can be logged: leaf, expected, found, line, what to do") {
  const ScopedVariable logs("SINTER_LOGS", "recompiles");
  Model model;
  const auto f = compile(model, {.name = "model"});
  const unsigned line = __LINE__ - 1;
  CHECK(said([&] { f(ones({2, 3})); }) == "");
  const std::string of_size = said([&] { f(ones({4, 3})); });
  INFO(of_size);
  CHECK(contains(of_size, "sinter[recompiles]: model"));
  CHECK(contains(of_size, text("promise_14_recompiles_test.cpp:", line)));
  CHECK(contains(of_size, "argument 0: expected size(0) == 2, found 4"));
  CHECK(contains(of_size, "mark_dynamic"));
  model.times = 5;
  const std::string of_number = said([&] { f(ones({4, 3})); });
  INFO(of_number);
  CHECK(contains(of_number, "self.times: expected 1, found 5"));
  CHECK(contains(of_number, "Scalar"));
  model.up = nn::Linear{3, 5};
  const std::string of_weight = said([&] { f(ones({4, 3})); });
  INFO(of_weight);
  CHECK(contains(of_weight, "self.up.weight: expected size(0) == 3, found 5"));
  model.up.weight = zeros({5, 3}, f64);
  const std::string of_dtype = said([&] { f(ones({4, 3})); });
  INFO(of_dtype);
  CHECK(contains(of_dtype, "self.up.weight: expected f32, found f64"));
}

TEST_CASE("promise 2.14: sizes that have to be equal are named as what varies, not as needed") {
  const auto reason_of = [](auto function, const Tensor& target) {
    const auto f = compile(function);
    f(ones({64, 3}), target);
    f(ones({29, 3}), target[Slice{0, 29}] * 1);
    CHECK(f.stats().recompiles == 1);
    return f.explain().recompiles.back();
  };
  const auto mse = [](const Tensor& x, const Tensor& y) { return mse_loss(x, y); };
  const auto entropy = [](const Tensor& x, const Tensor& y) { return cross_entropy(x, y); };
  const auto stacked = [](const Tensor& x, const Tensor& y) {
    return sum(concatenate({x, x}, 0) * concatenate({y, y}, 0));
  };
  for (const std::string& reason :
       {reason_of(mse, ones({64, 3})), reason_of(entropy, zeros({64}, i64)),
        reason_of(stacked, ones({64, 3}))}) {
    INFO(reason);
    CHECK(contains(reason, "argument 0: expected size(0) == 64, found 29; mark_dynamic(x, 0)"));
  }
}

TEST_CASE("promise 2.14: a number that is needed names the line that needs it, not an equality") {
  const auto f = compile([](const Tensor& x, const Tensor& y) {
    const Tensor distance = x - y;
    return reshape(distance, {x.size(0).value() * 3});  // this line
  });
  const unsigned line = __LINE__ - 2;
  f(ones({64, 3}), ones({64, 3}));
  f(ones({29, 3}), ones({29, 3}));
  const std::string reason = f.explain().recompiles.at(0);
  INFO(reason);
  CHECK(contains(reason, text("promise_14_recompiles_test.cpp:", line)));
  CHECK(contains(reason, "the program needs the number there"));
}

TEST_CASE("promise 2.14: an assumption names the module that made it") {
  Steps steps;
  const auto f = compile(steps);
  f(ones({4}));
  f(ones({5}));
  f(ones({9}));
  const std::string reason = f.explain().recompiles.back();
  INFO(reason);
  CHECK(contains(reason, "argument 0: expected size(0) <= 6, found 9, assumed at "));
  CHECK(contains(reason, "list.1;"));
}

TEST_CASE("promise 2.14: explain() keeps the reasons that were not logged") {
  const auto f = compile(twice);
  f(ones({2}));
  f(ones({2}, f64));
  f(ones({2, 2}));
  const std::vector<std::string> reasons = f.explain().recompiles;
  REQUIRE(reasons.size() == 2);
  CHECK(contains(reasons[0], "argument 0: expected f32, found f64"));
  CHECK(contains(reasons[1], "argument 0: expected rank 1, found rank 2"));
  CHECK(contains(to_string(f.explain()), reasons[0]));
}
