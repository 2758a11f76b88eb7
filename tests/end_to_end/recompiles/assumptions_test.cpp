// test: moved
// Promise 2.12: assumptions of a recording are guarded. A call that violates one is recorded once
// more, and the log names the leaf, the expected and the actual value, the line, and a fix. Device
// and layout are guarded as well; this version runs on one device with dense tensors, so no call
// violates them.

#include <doctest/doctest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "jit/support.hpp"

using namespace testing;

namespace {

enum class Shade : int { dark, light };

struct Settings {
  int count = 2;
  bool doubles = false;
  std::string name = "plain";
  Shade shade = Shade::dark;
  std::optional<Tensor> bias{};
  std::vector<Tensor> layers{};
  std::map<std::string, Tensor> heads{};
  Tensor gain{};
  SINTER_MODULE(Settings, count, doubles, name, shade, bias, layers, heads, gain)

  Tensor forward(const Tensor& x) const {
    Tensor result = x * static_cast<float>(count);
    if (doubles) result = result * 2.0f;
    if (name == "shifted") result = result + 1.0f;
    if (shade == Shade::light) result = -result;
    if (bias) result = result + *bias;
    for (const Tensor& layer : layers) result = result * layer;
    for (const auto& head : heads) result = result + head.second;
    return gain.defined() ? result * gain : result;
  }
};

// A call of a compiled function, and another one that violates an assumption of the first.
struct Outcome {
  Stats stats{};
  std::vector<std::string> recompiles{};
  std::string log{};
};

template <class First, class Second, class F>
Outcome outcome_of(F& f, First first, Second second) {
  Outcome outcome;
  const ScopedVariable logs("SINTER_LOGS", "recompiles");
  outcome.log = said([&] {
    for (int round = 0; round < 3; ++round) first(f), second(f);
  });
  outcome.stats = f.stats();
  outcome.recompiles = f.explain().recompiles;
  return outcome;
}

template <class F>
Outcome sizes_of(F function, Shape first, Shape second) {
  auto f = compile(function, {.dynamic = Dynamic::on});
  const auto call = [function](Shape shape) {
    return [function, shape](auto& compiled) {
      const Tensor x = counting(shape);
      CHECK(near_tensor(compiled(x), function(x)));
    };
  };
  return outcome_of(f, call(first), call(second));
}

// A member of a module is changed.
template <class Change>
Outcome member(Change change) {
  Settings settings;
  const Settings before = settings;
  auto f = compile(settings);
  const Tensor x = ones({3});
  return outcome_of(
      f,
      [&](auto& compiled) {
        settings = before;
        CHECK(near_tensor(compiled(x), settings(x)));
      },
      [&](auto& compiled) {
        change(settings);
        CHECK(near_tensor(compiled(x), settings(x)));
      });
}

struct Row {
  const char* kind;
  Outcome (*run)();
  std::vector<std::string> parts;
};

const std::string here = text("assumed at ", Where::current().file_name(), ":");

const auto compared = [](const Tensor& x) { return x.size(0) > 8 ? x * 2.0f : x * 3.0f; };
const auto number = [](const Tensor& x) { return x * static_cast<float>(x.size(0).value()); };
const auto divisible = [](const Tensor& x) {
  return x.size(0) % 4 == 0 ? sum(reshape(x, {-1, 4}), 0) : x;
};
const auto equal = [](const Tensor& x) {
  return x.size(0) == x.size(1) ? x + transpose(x, 0, 1) : x;
};
const auto product = [](const Tensor& x) {
  return x.size(0) * x.size(1) == x.size(2) * x.size(3)
             ? reshape(x, {x.size(0) * x.size(1), x.size(2) * x.size(3)}) * 2.0f
             : flatten(x);
};
const auto twice = [](const Tensor& x) { return x * 2.0f; };

const std::vector<Row> rows{
    {"size compared",
     [] { return sizes_of(compared, {12}, {5}); },
     {"argument 0: expected size(0) > 8, found 5", here, "where(condition, x, y)"}},
    {"size as number",
     [] { return sizes_of(number, {3}, {4}); },
     {"argument 0: expected size(0) == 3, found 4", here, "x.size(dim) in its place"}},
    {"divisibility",
     [] { return sizes_of(divisible, {8}, {6}); },
     {"argument 0: expected size(0)%4 == 0, found 2 (size(0) = 6)", here, ".multiple_of"}},
    {"equality of two sizes",
     [] {
       return sizes_of(equal, {4, 4}, {4, 5});
     },
     {"argument 0: expected size(0) == size(1), found 4 and 5", here, "equal sizes"}},
    {"equality of two products",
     [] {
       return sizes_of(product, {2, 6, 3, 4}, {2, 6, 3, 5});
     },
     {"argument 0: expected size(0)*size(1) == size(2)*size(3), found 12 and 15", here}},
    {"size 1",
     [] { return sizes_of(twice, {5}, {1}); },
     {"argument 0: expected 2 <= size(0), found 1", "are specialized", "mark_dynamic(x, 0)"}},
    {"size 0",
     [] {
       return sizes_of(twice, {3, 5}, {3, 0});
     },
     {"argument 0: expected 2 <= size(1), found 0", "are specialized", "mark_dynamic(x, 1)"}},
    {"size that was 1",
     [] { return sizes_of(twice, {1}, {5}); },
     {"argument 0: expected size(0) == 1, found 5", "are specialized", "mark_dynamic(x, 0)"}},
    {"rank",
     [] {
       return sizes_of(twice, {5}, {5, 3});
     },
     {"argument 0: expected rank 1, found rank 2, f32[5, 3]", "unsqueeze"}},
    {"dtype",
     [] {
       auto f = compile(twice);
       return outcome_of(
           f,
           [](auto& g) {
             CHECK(near(g(ones({2})), {2, 2}));
           },
           [](auto& g) {
             CHECK(near(g(ones({2}, f64)), {2, 2}));
           });
     },
     {"argument 0: expected f32, found f64", "x.to(f32)"}},
    {"member: int",
     [] { return member([](Settings& self) { self.count = 5; }); },
     {"self.count: expected 2, found 5", "Scalar"}},
    {"member: bool",
     [] { return member([](Settings& self) { self.doubles = true; }); },
     {"self.doubles: expected false, found true", "where(condition, x, y)"}},
    {"member: string",
     [] { return member([](Settings& self) { self.name = "shifted"; }); },
     {"self.name: expected \"plain\", found \"shifted\"", "a recording of its own"}},
    {"member: enum",
     [] { return member([](Settings& self) { self.shade = Shade::light; }); },
     {"self.shade: expected 0, found 1", "a recording of its own"}},
    {"optional present",
     [] { return member([](Settings& self) { self.bias = ones({3}); }); },
     {"self.bias: expected absent, found present", "zeros"}},
    {"container length",
     [] { return member([](Settings& self) {
            self.layers = {ones({3}), ones({3})};
          }); },
     {"self.layers: expected 0 elements, found 2 elements", "stack"}},
    {"map key",
     [] {
       Settings settings;
       auto f = compile(settings);
       const auto with = [&settings](const char* key) {
         return [&settings, key](auto& compiled) {
           settings.heads = {{key, ones({3})}};
           CHECK(near(compiled(ones({3})), {3, 3, 3}));
         };
       };
       return outcome_of(f, with("left"), with("right"));
     },
     {"self.heads: expected the key left, found the key right", "keep the keys"}},
    {"tensor defined",
     [] { return member([](Settings& self) { self.gain = ones({3}); }); },
     {"self.gain: expected no tensor, found a tensor", "zeros"}},
};

}  // namespace

TEST_CASE("promise 2.12: a violated assumption is recorded once more, and explained") {
  for (const Row& row : rows) {
    CAPTURE(row.kind);
    const Outcome outcome = row.run();
    CHECK(outcome.stats.recordings == 2);
    CHECK(outcome.stats.recompiles == 1);
    CHECK(outcome.stats.variants == 2);
    REQUIRE(outcome.recompiles.size() == 1);
    const std::string& reason = outcome.recompiles[0];
    CAPTURE(reason);
    CHECK(contains(reason, text("compile at ", Where::current().file_name())));
    for (const std::string& part : row.parts) {
      CAPTURE(part);
      CHECK(contains(reason, part));
    }
    CHECK(outcome.log == text("sinter[recompiles]: ", reason, "\n"));
  }
}

TEST_CASE(
    "assumptions: a slice whose size must equal a number is static, also inside of a gradient") {
  const auto slope = compile(grad([](const Tensor& x) {
    return sum(x[{all, Slice{1, std::nullopt}}] * from_vector<float>({1, 2, 3, 4}, {4}));
  }));
  CHECK(near(slope(ones({2, 5})), {0, 1, 2, 3, 4, 0, 1, 2, 3, 4}));
}
