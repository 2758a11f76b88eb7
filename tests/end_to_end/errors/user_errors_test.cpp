// test: moved
// Errors of the user inside of compiled functions: thrown at the user's line, and nothing changes.

#include <doctest/doctest.h>

#include "jit/support.hpp"

using namespace testing;

namespace {

// Calls `f` on state: it must throw, and leave the state unchanged.
template <class Error, class F>
std::string fails(F f, unsigned line) {
  Tensor state = vector({1, 2, 3});
  const Tensor x = vector({1, 1, 1});
  const std::string report = message_of<Error>([&] { f(state, x); });
  CHECK(contains(report, text("user_errors_test.cpp:", line)));
  CHECK(near(state, {1, 2, 3}));
  CHECK_FALSE(is_recording());
  return report;
}

}  // namespace

TEST_CASE("user errors: with fullgraph, reading elements is an error at its line") {
  const CompileOptions whole{.fullgraph = true};
  const auto item = [](Tensor& state, const Tensor& x) {
    state += x;
    return sum(state).item<float>();
  };
  const std::string report =
      fails<GraphBreakError>(compile(item, whole), Where::current().line() - 3);
  CHECK(contains(report, "where(condition"));
  const auto list = [](Tensor& state, const Tensor& x) {
    state += x;
    return state.to_vector<float>().at(0);
  };
  fails<GraphBreakError>(compile(list, whole), Where::current().line() - 2);
  const auto data = [](Tensor& state, const Tensor&) {
    state += 1.0f;
    return *state.data<float>();
  };
  fails<GraphBreakError>(compile(data, whole), Where::current().line() - 2);
  const auto condition = [](Tensor& state, const Tensor& x) {
    const Tensor large = sum(x) > 1.0f;
    if (large) state += 1.0f;
    return state;
  };
  fails<GraphBreakError>(compile(condition, whole), Where::current().line() - 4);
}

TEST_CASE(
    "user errors: shapes and dtypes are checked while recording, with the messages of eager code") {
  const auto mistake = [](Tensor& state, const Tensor& x) {
    state += x;
    return matmul(reshape(state, {3, 1}), reshape(x, {3, 1}));
  };
  const unsigned line = Where::current().line() - 2;
  const std::string recorded = fails<ShapeError>(compile(mistake), line);
  Tensor state = vector({1, 2, 3});
  CHECK(message_of<ShapeError>([&] { mistake(state, vector({1, 1, 1})); }) == recorded);
}

TEST_CASE("user errors: exceptions of the user pass through, and the next call starts over") {
  static int calls = 0;
  const auto f = compile([](Tensor& state, const Tensor& x) {
    state += x;
    if (++calls == 1) throw std::runtime_error("of the user");
    return state * 2.0f;
  });
  Tensor state = vector({1, 2});
  CHECK_THROWS_WITH_AS(f(state, vector({1, 1})), "of the user", std::runtime_error);
  CHECK(near(state, {1, 2}));
  CHECK(f.stats().calls == 0);
  CHECK(near(f(state, vector({1, 1})), {4, 6}));
  CHECK(f.stats().recordings == 1);
}

TEST_CASE("user errors: an undefined tensor is named") {
  const auto f = compile([](const Tensor& x, const Tensor& y) { return x + y; });
  const std::string report = message_of<ValueError>([&] { f(vector({1}), Tensor()); });
  CHECK(contains(report, "user_errors_test.cpp"));
  CHECK(near(f(vector({1}), vector({2})), {3}));
}

TEST_CASE("user errors: a value that outlives the call has its elements") {
  static Tensor kept;
  const auto f = compile([](const Tensor& x) {
    kept = x * 2.0f;
    return kept + 1.0f;
  });
  for (const float value : {1.0f, 2.0f}) {
    CHECK(near(f(vector({value})), {2.0 * value + 1}));
    CHECK(near(kept, {2.0 * value}));
  }
  kept = Tensor();
}

TEST_CASE("user errors: messages show sizes as numbers, also in a recording") {
  const auto f = compile([](const Tensor& x, int k) { return topk(x, k).values; });
  const std::string report = message_of<ValueError>([&] { f(zeros({4, 8}), 9); });
  CHECK(contains(report, "rule  0 <= k <= 8, the extent of the axis"));
}

TEST_CASE("user errors: an index out of range is an error with its line on every backend") {
  const auto take = [](Tensor& state, const Tensor& index) {
    state *= 2.0f;
    return index_select(state, 0, index);
  };
  std::vector<std::string> reports;
  for (const Backend backend : {Backend::fused, Backend::eager, Backend::aot_eager}) {
    const auto f = compile(take, {.backend = backend});
    Tensor state = vector({1, 2, 3});
    reports.push_back(message_of<IndexError>([&] { f(state, integers({1, 5})); }));
    CHECK(near(state, {1, 2, 3}));
    CHECK(near(f(state, integers({-1})), {6}));
  }
  for (const std::string& report : reports) {
    CHECK(contains(report, "user_errors_test.cpp"));
    CHECK(contains(report, "5"));
    CHECK(contains(report, "3"));
    CHECK(contains(report, "<= index <"));
  }
}
