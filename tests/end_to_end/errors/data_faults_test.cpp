// test: moved
// Faults in the data: every backend throws the same error, and nothing changes.

#include <doctest/doctest.h>

#include <functional>

#include "jit/support.hpp"
#include "moved.hpp"

using namespace testing;
using sinter_test::by_device;

namespace {

constexpr std::array backends{Backend::eager, Backend::aot_eager, Backend::fused};

// The message of the `Error` that `f` throws, which must be the same on every backend; the state
// that `f` takes must stay unchanged.
template <class Error, class F, class... Args>
std::string fault_of(F f, Args... args) {
  std::vector<std::string> reports;
  for (const Backend backend : backends) {
    const auto compiled = compile(f, {.backend = backend});
    Tensor state = vector({1, 2, 3, 4});
    const void* const address = place(state);
    try {
      compiled(state, args...);
      reports.push_back("nothing was thrown");
    } catch (const Error& error) {
      reports.push_back(error.what());
    }
    CHECK(near(state, {1, 2, 3, 4}));
    CHECK(place(state) == address);
  }
  CHECK(reports[1] == reports[0]);
  CHECK(reports[2] == reports[0]);
  CHECK(contains(reports[0], "data_faults_test.cpp"));
  return reports[0];
}

}  // namespace

TEST_CASE("data faults: an integer division by zero throws at its line, on every backend") {
  const Tensor x = integers({7, -7, 5, 1});
  const auto divide = [](Tensor& state, const Tensor& a, const Tensor& b) {
    state += 1.0f;
    return floor_divide(a, b) + 1;
  };
  const unsigned line = Where::current().line() - 2;
  const std::string report = fault_of<ValueError>(divide, x, integers({1, 2, 0, 0}));
  CHECK(contains(report, "floor_divide: integer division by zero"));
  CHECK(contains(report, "0 at the row-major position 2, dtype i64"));
  CHECK(contains(report, text("data_faults_test.cpp:", line)));
  const auto rest = [](Tensor& state, const Tensor& a, const Tensor& b) {
    state += cast(sum(a % b), f32);
  };
  CHECK(contains(fault_of<ValueError>(rest, x, integers({1, 0, 3, 4})), "remainder: integer"));
}

TEST_CASE("data faults: both branches of where are computed, so that a division in one can fault") {
  const auto guarded = [](Tensor& state, const Tensor& a, const Tensor& b) {
    state *= 2.0f;
    return where(b != 0, floor_divide(a, b), a);
  };
  const Tensor a = integers({7, 8, 9}), b = integers({1, 0, 2});
  CHECK(contains(fault_of<ValueError>(guarded, a, b), "position 1"));
  const auto safe = [](const Tensor& x, const Tensor& y) {
    return floor_divide(x, where(y == 0, 1, y));
  };
  for (const Backend backend : backends) {
    const Tensor result = compile(safe, {.backend = backend})(a, b);
    CHECK(result.to_vector<std::int64_t>() == std::vector<std::int64_t>{7, 8, 4});
  }
}

TEST_CASE("data faults: a division faults for its own elements only") {
  const auto padded = [](const Tensor& a, const Tensor& b) {
    return pad(floor_divide(a, b), {{2, 3}}, 9);
  };
  const auto divided = [](const Tensor& a, const Tensor& b) { return floor_divide(a, b); };
  for (const Backend backend : backends) {
    const auto f = compile(padded, {.backend = backend, .dynamic = Dynamic::on});
    const auto g = compile(divided, {.backend = backend});
    for (std::int64_t size = 2; size < by_device(40, 6); ++size) {  // full vectors and a remainder
      const Tensor a = arange(size), b = 1 + arange(size);
      CHECK(sum(f(a, b)).item<std::int64_t>() == 45);
    }
    Tensor none = zeros({0}, i64);
    mark_dynamic(none, 0);
    CHECK(g(none, integers({0})).numel() == 0);  // empty: no division
    CHECK_THROWS_AS(g(integers({1}), integers({0})), ValueError);
  }
}

TEST_CASE(
    "data faults: an index that is the same for all elements is no fault without an element") {
  const auto add = [](const Tensor& x, const Tensor& y) {
    return index_add(x, 0, zeros({y.size(0)}, i64), y);
  };
  for (const Backend backend : backends) {
    const auto f = compile(add, {.backend = backend});
    Tensor none = zeros({0, 4}), one = ones({1, 4});
    mark_dynamic(none, 0), mark_dynamic(one, 0);
    CHECK(f(none, none).numel() == 0);
    CHECK_THROWS_AS(f(none, one), IndexError);
    CHECK(near(f(one, one), {2, 2, 2, 2}));
  }
}

TEST_CASE("data faults: of many faults the first is reported, whatever the number of threads") {
  const auto divide = [](const Tensor& a, const Tensor& b) { return sum(a % b, 1); };
  const std::int64_t rows = by_device(3000, 30), first = by_device(123456, 1234);
  const Tensor a = ones({rows, 300}, i32);
  const Tensor b = cast(reshape(arange(rows * 300), {rows, 300}) < first, i32);
  const auto f = compile(divide);
  for (const int threads : {1, 2, 5}) {
    set_num_threads(threads);
    try {
      f(a, b);
      FAIL_CHECK("nothing was thrown");
    } catch (const ValueError& error) {
      CHECK(contains(error.what(), text("row-major position ", first, ", dtype i32")));
    }
  }
  set_num_threads(0);
}

TEST_CASE("data faults: an index out of range throws at its line, on every backend") {
  const auto select = [](Tensor& state, const Tensor& index) {
    state += 1.0f;
    return index_select(state, 0, index);
  };
  const std::string report = fault_of<IndexError>(select, integers({0, 3, -5, 4}));
  CHECK(contains(report, "index out of range"));
  CHECK(contains(report, "-5, at the row-major position 2"));
  CHECK(contains(report, "-4 <= index < 4"));
  const auto add = [](Tensor& state, const Tensor& index) {
    state = index_add(state, 0, index, ones({4}));
  };
  CHECK(contains(fault_of<IndexError>(add, integers({0, 1, 9, 2})), "9, at the row-major pos"));
  const auto take = [](Tensor& state, const Tensor& index) {
    state *= 3.0f;
    return take_along_axis(reshape(state, {2, 2}), index, 1);
  };
  CHECK(
      contains(fault_of<IndexError>(take, reshape(integers({0, 1, 2, 0}), {2, 2})), "position 2"));
  const auto loss = [](Tensor& state, const Tensor& target) {
    const auto of = [&](const Tensor& x) { return cross_entropy(reshape(x, {2, 2}), target); };
    state -= 0.5f * grad(of)(state);
  };
  CHECK(contains(fault_of<IndexError>(loss, integers({1, 2})), "position 1"));
}

TEST_CASE("data faults: a fault after a graph break leaves state and the random offset unchanged") {
  const auto broken = [](Tensor& state, const Tensor& index) {
    state += rand({4}) * 0.0f + 1.0f;
    if (sum(state).item<float>() > 0) state *= 2.0f;  // a break
    return index_select(state, 0, index);
  };
  for (const Backend backend : backends) {
    const auto f = compile(broken, {.backend = backend});
    Tensor state = vector({1, 2, 3, 4});
    const void* const address = place(state);
    for (int again = 0; again < 3; ++again) {
      random::set_state({.seed = 1, .offset = 4});
      CHECK_THROWS_AS(f(state, integers({0, 4})), IndexError);
      CHECK(near(state, {1, 2, 3, 4}));
      CHECK(place(state) == address);
      CHECK(random::state().offset == 4);
    }
    CHECK(near(f(state, integers({0, 3})), {4, 10}));
    CHECK(near(state, {4, 6, 8, 10}));
  }
}

TEST_CASE("data faults: a fault in a callable with captures is thrown by the call") {
  Tensor table = vector({1, 2, 3});
  const auto f = compile([&table](Tensor& state, const Tensor& index) {
    state += index_select(table, 0, index);
    return state * 2.0f;
  });
  Tensor state = vector({1, 1});
  CHECK_THROWS_AS(f(state, integers({0, 3})), IndexError);
  CHECK(near(state, {1, 1}));
  CHECK(near(f(state, integers({0, 2})), {4, 8}));
  table = vector({1, 2});
  CHECK_THROWS_AS(f(state, integers({0, 2})), IndexError);
  CHECK(near(state, {2, 4}));
}
