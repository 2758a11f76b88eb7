#include <doctest/doctest.h>
#include <sinter/guard/guard.hpp>

#include "trace/testing.hpp"

using namespace testing;

namespace {

// Arguments of a call, f32 and named "a", "b", ...
struct Arguments {
  std::vector<Tensor> tensors;
  std::vector<std::string> names{};
  std::vector<guard::Leaf> leaves{};

  explicit Arguments(std::vector<Tensor> values) : tensors(std::move(values)) {
    for (Tensor& tensor : tensors) {
      names.push_back(std::string(1, static_cast<char>('a' + names.size())));
      leaves.push_back({.tensor = &tensor});
    }
  }
};

const Hash structure = hash_of("structure");

// What a recording of two tensors assumed, whose first dimensions are `symbols`.
guard::Guard guard_of(const Recorder& recorder, std::initializer_list<Shape> shapes) {
  std::vector<TensorType> types;
  std::vector<std::string> names;
  for (const Shape& shape : shapes) {
    types.push_back({f32, shape});
    names.push_back(std::string(1, static_cast<char>('a' + names.size())));
  }
  guard::Guard result = guard::make_guard(recorder, types, names);
  result.structure = structure;
  return result;
}

bool fits(const guard::Guard& guard, std::vector<Tensor> values) {
  const Arguments arguments(std::move(values));
  std::vector<std::int64_t> symbols(guard.symbols.size());
  return matches(guard, structure, arguments.leaves, symbols);
}

std::string failure(const guard::Guard& guard, std::vector<Tensor> values) {
  const Arguments arguments(std::move(values));
  return to_string(guard::first_failure(guard, structure, arguments.leaves, arguments.names, {}));
}

Tensor zeros_of(Shape shape) { return zeros(shape); }

}  // namespace

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

TEST_CASE("guard: what fails is said with the leaf, what was expected and found, and a way out") {
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

TEST_CASE("guard: a size that was found to be another's is not free") {
  Recorder recorder;
  const Extent a = recorder.symbol({}, 8, Freedom::marked, "a.size(0)");
  const Extent b = recorder.symbol({}, 8, Freedom::fixed, "b.size(0)");
  CHECK(recorder.unify(a, b, Where::current()));
  recorder.fix_sizes();
  const guard::Guard guard = guard_of(recorder, {{a}, {b}});
  CHECK(fits(guard, {zeros({5}), zeros({5})}));
  CHECK_FALSE(fits(guard, {zeros({5}), zeros({8})}));
}

TEST_CASE("guard: a size that is another's keeps the range that was relied upon") {
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

TEST_CASE("guard: one leaf is compared by itself where sizes are known") {
  Recorder recorder;
  const Extent a = recorder.symbol({}, 8, Freedom::marked, "a.size(0)");
  const guard::Guard guard = guard_of(recorder, {{a, 3}});
  Tensor x = zeros_of({8, 3}), y = zeros_of({9, 3}), z = zeros_of({8});
  const std::vector<std::int64_t> symbols{8};
  CHECK(guard::matches(guard.leaves[0], {.tensor = &x}, symbols));
  CHECK_FALSE(guard::matches(guard.leaves[0], {.tensor = &y}, symbols));
  CHECK_FALSE(guard::matches(guard.leaves[0], {.tensor = &z}, symbols));
}

TEST_CASE("guard: plain values that differ are named, with what they were and are") {
  Recorder recorder;
  guard::Guard guard = guard_of(recorder, {{2}});
  guard.plain = {{"self.factor", "2"}, {"self.list", "3 elements", true}};
  const Arguments arguments({zeros({2})});
  const auto words = [&](const std::vector<guard::PlainValue>& plain) {
    return to_string(
        guard::first_failure(guard, hash_of("other"), arguments.leaves, arguments.names, plain));
  };
  CHECK(words({{"self.factor", "2.5"}, {"self.list", "3 elements", true}})
            .starts_with("self.factor: expected 2, found 2.5"));
  CHECK(words({{"self.factor", "2"}, {"self.list", "4 elements", true}})
            .starts_with("self.list: expected 3 elements, found 4 elements"));
}

TEST_CASE("guard: is described with a line for each condition") {
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
