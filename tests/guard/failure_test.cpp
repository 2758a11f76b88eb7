#include <doctest/doctest.h>
#include <sinter/guard/failure.hpp>

#include "calls.hpp"

using namespace guarded_calls;

TEST_CASE("failure: a failure names the leaf, what was expected and found, and a fix") {
  Recorder recorder;
  const guard::Guard guard = guard_of(recorder, {{2, 3}});
  CHECK(failure(guard, {zeros({2, 4})}) ==
        "a: expected size(1) == 3, found 4; mark_dynamic(x, 1) makes one recording serve all "
        "sizes");
  CHECK(failure(guard, {zeros({2, 3}, f64)}) ==
        "a: expected f32, found f64; pass one dtype in every call, converted with x.to(f32)");
  CHECK(failure(guard, {zeros({2, 3, 1})}) ==
        "a: expected rank 2, found rank 3, f32[2, 3, 1]; pass tensors of one rank; unsqueeze and "
        "flatten change it");
}

TEST_CASE("failure: plain values that differ are named, with what they were and are") {
  Recorder recorder;
  guard::Guard guard = guard_of(recorder, {{2}});
  guard.plain = {{"self.factor", "2"}, {"self.list", "3 elements", true}};
  const Arguments arguments({zeros({2})});
  const auto words = [&](const Vector<guard::PlainValue>& plain) {
    return to_string(
        guard::first_failure(guard, hash_of("other"), arguments.leaves, arguments.names, plain));
  };
  CHECK(words({{"self.factor", "2.5"}, {"self.list", "3 elements", true}})
            .starts_with("self.factor: expected 2, found 2.5"));
  CHECK(words({{"self.factor", "2"}, {"self.list", "4 elements", true}})
            .starts_with("self.list: expected 3 elements, found 4 elements"));
}

TEST_CASE(
    "failure: a size that differs is named before a floating number, which becomes an input") {
  Recorder recorder;
  guard::Guard guard = guard_of(recorder, {{2}});
  guard.plain = {{.name = "rate", .value = "2", .is_floating = true}};
  const Vector<guard::PlainValue> plain = {{.name = "rate", .value = "3", .is_floating = true}};
  const auto words = [&](const Arguments& call) {
    return to_string(guard::first_failure(guard, hash_of("other"), call.leaves, call.names, plain));
  };
  CHECK(words(Arguments({zeros({2})})).starts_with("rate: expected 2, found 3"));
  CHECK(words(Arguments({zeros({5})})).starts_with("a: expected size(0) == 2, found 5"));
  CHECK(words(Arguments({zeros({2}, i64)})).starts_with("a: expected f32, found i64"));
}

TEST_CASE("failure: describe() gives a line for each condition of a guard") {
  Recorder recorder;
  const Extent a = recorder.symbol({.min = 2, .max = 64}, 8, Freedom::marked, "a.size(0)");
  recorder.decide(a, Relation::greater, 4, Where::current());
  recorder.fix_sizes();
  guard::Guard guard = guard_of(recorder, {{a, 3}});
  guard.plain = {{"self.factor", "2"}};
  const std::vector<std::string> lines = describe(guard);
  REQUIRE(lines.size() == 4);
  CHECK(lines[0] == "a is f32[a.size(0), 3]");
  CHECK(lines[1] == "self.factor is 2");
  CHECK(lines[2] == "2 <= a.size(0) <= 64");
  CHECK(lines[3].starts_with("a.size(0) > 4, assumed at "));
}
