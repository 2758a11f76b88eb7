#include <doctest/doctest.h>
#include <sinter/guard/guard.hpp>

#include "calls.hpp"

using namespace guarded_calls;

TEST_CASE("guard: static sizes, dtype, rank and number of tensors have to be those recorded") {
  Recorder recorder;
  const guard::Guard guard = guard_of(recorder, {{2, 3}});
  CHECK(guard.is_static());
  CHECK(fits(guard, {zeros({2, 3})}));
  CHECK_FALSE(fits(guard, {zeros({2, 4})}));
  CHECK_FALSE(fits(guard, {zeros({2, 3}, f64)}));
  CHECK_FALSE(fits(guard, {zeros({2, 3, 1})}));
  CHECK_FALSE(fits(guard, {zeros({2, 3}), zeros({2, 3})}));
  const Arguments arguments({zeros({2, 3})});
  CHECK_FALSE(matches(guard, hash_of("other"), arguments.leaves, {}));
}

TEST_CASE("guard: the sizes of symbols are read from the arguments, within their range") {
  Recorder recorder;
  const Extent batch =
      recorder.symbol({.min = 4, .max = 64, .multiple_of = 4}, 8, Freedom::marked, "a.size(0)");
  const guard::Guard guard = guard_of(recorder, {{batch, 3}, {3, batch + 1}});
  std::vector<std::int64_t> symbols(1);
  const Arguments arguments({zeros({16, 3}), zeros({3, 17})});
  CHECK(matches(guard, structure, arguments.leaves, symbols));
  CHECK(symbols[0] == 16);
  CHECK_FALSE(fits(guard, {zeros({16, 3}), zeros({3, 18})}));
  CHECK_FALSE(fits(guard, {zeros({68, 3}), zeros({3, 69})}));
  CHECK_FALSE(fits(guard, {zeros({0, 3}), zeros({3, 1})}));
  CHECK_FALSE(fits(guard, {zeros({6, 3}), zeros({3, 7})}));
  const std::string text = failure(guard, {zeros({6, 3}), zeros({3, 7})});
  CHECK(text.find("a: expected 4 <= size(0) <= 64, a multiple of 4") != std::string::npos);
  CHECK(text.find("found 6") != std::string::npos);
}

TEST_CASE("guard: a size unified with another is not free") {
  Recorder recorder;
  const Extent a = recorder.symbol({}, 8, Freedom::marked, "a.size(0)");
  const Extent b = recorder.symbol({}, 8, Freedom::fixed, "b.size(0)");
  CHECK(recorder.unify(a, b, Where::current()));
  recorder.fix_sizes();
  const guard::Guard guard = guard_of(recorder, {{a}, {b}});
  CHECK(fits(guard, {zeros({5}), zeros({5})}));
  CHECK_FALSE(fits(guard, {zeros({5}), zeros({8})}));
}

TEST_CASE("guard: a size unified with another keeps the range that was relied upon") {
  Recorder recorder;
  const Extent a = recorder.symbol({}, 8, Freedom::marked, "a.size(0)");
  const Extent b =
      recorder.symbol({.min = 2, .max = 64, .multiple_of = 4}, 8, Freedom::automatic, "b.size(0)");
  CHECK(recorder.unify(a, b, Where::current()));
  recorder.fix_sizes();
  const guard::Guard guard = guard_of(recorder, {{a}, {b}});
  CHECK(fits(guard, {zeros({16}), zeros({16})}));
  for (const int size : {0, 1, 6, 68}) CHECK_FALSE(fits(guard, {zeros({size}), zeros({size})}));
  CHECK(failure(guard, {zeros({0}), zeros({0})}).starts_with("a: expected size(0) >= 4, found 0"));
}

TEST_CASE("guard: assumptions about sizes are checked, and named with their line") {
  Recorder recorder;
  const Extent a = recorder.symbol({}, 8, Freedom::marked, "a.size(0)");
  const Where line = Where::current();
  CHECK(recorder.decide(a, Relation::greater, 4, line));
  recorder.fix_sizes();
  const guard::Guard guard = guard_of(recorder, {{a}});
  CHECK(fits(guard, {zeros({5})}));
  CHECK_FALSE(fits(guard, {zeros({4})}));
  const std::string text = failure(guard, {zeros({4})});
  CHECK(text.find("a: expected size(0) > 4, found 4") != std::string::npos);
  CHECK(text.find(to_string(line)) != std::string::npos);
}

TEST_CASE("guard: a leaf can be compared alone if the sizes are known") {
  Recorder recorder;
  const Extent a = recorder.symbol({}, 8, Freedom::marked, "a.size(0)");
  const guard::Guard guard = guard_of(recorder, {{a, 3}});
  Tensor x = zeros_of({8, 3}), y = zeros_of({9, 3}), z = zeros_of({8});
  const std::vector<std::int64_t> symbols{8};
  CHECK(guard::matches(guard.leaves[0], {.tensor = &x}, symbols));
  CHECK_FALSE(guard::matches(guard.leaves[0], {.tensor = &y}, symbols));
  CHECK_FALSE(guard::matches(guard.leaves[0], {.tensor = &z}, symbols));
}
