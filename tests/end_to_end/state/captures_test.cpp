// test: moved
// Captured values change in every way between calls: each call reads the current values.

#include <doctest/doctest.h>

#include <map>
#include <optional>
#include <random>

#include "jit/support.hpp"
#include "moved.hpp"

using namespace testing;
using sinter_test::by_device;

namespace {

const int many_calls = by_device(2500, 24);

struct Gain {
  Tensor weight = ones({3});
  float factor = 1;
  SINTER_MODULE(Gain, weight, factor)
  Tensor forward(const Tensor& x) const { return x * weight * factor; }
};

// Everything that a function can capture.
struct World {
  Tensor weight = ones({3});
  Tensor total = zeros({3});
  Scalar rate = 1.0f;
  float factor = 1;
  int repeats = 1;
  bool subtracts = false;
  std::string mode = "add";
  std::vector<Tensor> terms{};
  std::optional<Tensor> bias{};
  std::map<std::string, float> table{{"a", 1.0f}};
  std::vector<Gain> layers{std::vector<Gain>(1)};

  Tensor apply(const Tensor& x) const {
    Tensor y = x;
    for (int i = 0; i < repeats; ++i) y = y * weight * factor;
    for (const Tensor& term : terms) y = mode == "add" ? y + term : y * 0.5f + term;
    for (const auto& [name, number] : table) y += number;
    for (const Gain& layer : layers) y = layer(y);
    if (bias) y += *bias;
    return (subtracts ? y - total : y + total) * rate;
  }
  Tensor step(const Tensor& x) {
    const Tensor y = apply(x);
    total = total * 0.5f + mean(y, {0}) * 0.125f;
    return y;
  }
};

// Changes a world at random; the same seed changes equal worlds in the same way.
class Changer {
 public:
  explicit Changer(unsigned seed) : random_(seed) {}

  std::size_t below(std::size_t limit) { return random_() % limit; }
  float number() { return 0.25f * static_cast<float>(below(6)); }
  Tensor value() {
    const float start = number();
    return vector({start, start / 2, 1 - start});
  }

  void change(World& world, std::vector<Tensor>& held) {
    below(3) != 0 ? change_value(world, held) : change_form(world);
  }

 private:
  void change_value(World& world, std::vector<Tensor>& held) {
    switch (below(9)) {
      case 0:
        world.weight = value();
        break;
      case 1:
        world.weight *= 0.5f;
        break;  // computed when it is needed
      case 2:
        world.factor = number();
        break;
      case 3:
        world.rate = number();
        break;
      case 4:
        world.table["a"] = number();
        break;
      case 5:
        held.push_back(world.total);
        break;
      case 6:
        held.clear();
        break;
      case 7:
        world.layers.front().factor = number();
        break;
      default:
        world.total = Tensor(world.weight);
        break;  // shared
    }
  }
  void change_form(World& world) {
    switch (below(8)) {
      case 0:
        world.repeats = 1 + static_cast<int>(below(2));
        break;
      case 1:
        world.subtracts = !world.subtracts;
        break;
      case 2:
        world.mode = world.mode == "add" ? "scale" : "add";
        break;
      case 3:
        world.terms.size() < 2 ? world.terms.push_back(value()) : world.terms.clear();
        break;
      case 4:
        world.bias = world.bias ? std::nullopt : std::optional(value());
        break;
      case 5:
        world.table.count("b") != 0 ? world.table.erase("b") : (world.table["b"] = 2, 0);
        break;
      case 6:
        world.layers.size() < 2 ? world.layers.push_back({}) : world.layers.pop_back();
        break;
      default:
        world = World(world);
        break;  // the same values elsewhere
    }
  }

  std::mt19937 random_;
};

// Calls `compiled` on `world` and an uncompiled function on an equal one, with the same changes.
template <class Call, class Plain>
void compare(unsigned seed, int calls, World& world, World& expected_world, Call compiled,
             Plain plain) {
  Changer changer(seed), same_changer(seed);
  std::vector<Tensor> held, expected_held;
  for (int call = 0; call < calls; ++call) {
    INFO("seed " << seed << ", call " << call);
    changer.change(world, held);
    same_changer.change(expected_world, expected_held);
    const Tensor x = changer.value() + zeros({2, 3});
    const Tensor expected = plain(same_changer.value() + zeros({2, 3}));
    REQUIRE(near_tensor(compiled(x), expected));
    if (call % 8 != 0) continue;
    REQUIRE(near_tensor(world.total, expected_world.total));
    for (std::size_t i = 0; i < held.size(); ++i) REQUIRE(near_tensor(held[i], expected_held[i]));
  }
}

// Past the recompile limit functions are interpreted, which is compared as well.
const CompileOptions limited{.recompile_limit = 12};

struct Service {
  World world{};
  auto compiled() {
    return compile([this](const Tensor& x) { return world.step(x); }, limited);
  }
};

}  // namespace

TEST_CASE("captures: captures by reference are read in each call") {
  World world, expected;
  const auto compiled = compile([&](const Tensor& x) { return world.step(x); }, limited);
  compare(1, many_calls, world, expected, compiled,
          [&](const Tensor& x) { return expected.step(x); });
  CHECK(compiled.stats().calls == many_calls);
}

TEST_CASE("captures: members read through `this` are current") {
  Service service, expected;
  const auto compiled = service.compiled();
  compare(2, many_calls, service.world, expected.world, compiled,
          [&](const Tensor& x) { return expected.world.step(x); });
}

TEST_CASE("captures: the eager backend agrees, for captures mixed with arguments") {
  World world, eager_world;
  const auto function = [](World& captured) {
    return [&captured](const Tensor& x, const Tensor& shift) { return captured.step(x - shift); };
  };
  const auto compiled = compile(function(world), limited);
  const auto eager = compile(function(eager_world), {.backend = Backend::eager});
  const Tensor shift = vector({1, 2, 3});
  compare(
      3, many_calls, world, eager_world, [&](const Tensor& x) { return compiled(x, shift); },
      [&](const Tensor& x) { return eager(x, shift); });
}

TEST_CASE("captures: captures by value belong to the function, and are mutable") {
  Changer changer(4);
  for (int function = 0; function < by_device(50, 4); ++function) {
    World world;
    std::vector<Tensor> held;
    for (int i = 0; i < 4; ++i) changer.change(world, held);
    auto own = [world, sum = zeros({3}), calls = 0](const Tensor& x) mutable {
      ++calls;
      sum = sum + mean(world.step(x), {0}) * static_cast<float>(calls);
      world.factor += 0.25f;
      return sum + world.total;
    };
    auto plain = own;
    const auto compiled = compile(own, {.backend = Backend::aot_eager});
    for (int call = 0; call < by_device(50, 6); ++call) {
      const Tensor x = changer.value() + zeros({2, 3});
      REQUIRE(near_tensor(compiled(x), plain(x)));
    }
  }
}

TEST_CASE("captures: assigning a capture between calls does not recompile") {
  Tensor weight = ones({3});
  const auto compiled = compile([&](const Tensor& x) { return x * weight; });
  for (int i = 0; i < by_device(100, 10); ++i) {
    weight = full({3}, static_cast<float>(i));
    CHECK(near(compiled(ones({3})), Numbers(3, i)));
  }
  CHECK(compiled.stats().recompiles == 0);
  CHECK(compiled.stats().graphs == 1);
}

TEST_CASE("captures: values that a call stores in a container stay correct") {
  std::vector<Tensor> history;
  const auto compiled = compile([&](const Tensor& x) {
    const Tensor h = x * 2.0f;
    history.push_back(h + 1.0f);
    return sum(h);
  });
  for (int i = 0; i < 20; ++i)
    CHECK(compiled(full({4}, i)).item<float>() == doctest::Approx(8 * i));
  REQUIRE(history.size() == 20);
  for (std::size_t i = 0; i < 20; ++i) {
    CHECK(near(history[i], Numbers(4, 2 * static_cast<double>(i) + 1)));
  }
  CHECK(compiled.stats().recompiles == 0);
}

TEST_CASE("captures: a container keeps the old arguments when arguments change afterwards") {
  std::vector<Tensor> seen;
  Tensor state = zeros({2});
  const auto compiled = compile([&](Tensor& x) {
    seen.push_back(x);
    x = x + 1.0f;
  });
  for (int i = 0; i < 10; ++i) compiled(state);
  CHECK(near(state, {10, 10}));
  for (std::size_t i = 0; i < 10; ++i) CHECK(near(seen[i], Numbers(2, static_cast<double>(i))));
}

TEST_CASE("captures: assume_pure replays with the captured values") {
  Tensor weight = ones({2});
  const auto compiled = compile(assume_pure([weight](const Tensor& x) { return x * weight; }));
  weight = zeros({2});
  for (int i = 0; i < 5; ++i) CHECK(near(compiled(full({2}, 3.0f)), {3, 3}));
  CHECK(compiled.stats().recordings == 1);
}

TEST_CASE(
    "captures: a global tensor makes a function traced on every call, a function pointer does "
    "not") {
  static Tensor global = ones({2});
  const auto compiled = compile(+[](const Tensor& x) { return x + global; });
  CHECK(near(compiled(ones({2})), {2, 2}));
  global = full({2}, 5.0f);
  CHECK(near(compiled(ones({2})), {6, 6}));
  CHECK(compiled.stats().recordings == 2);
  const auto closed = compile(+[](const Tensor& x) { return x + 1.0f; });
  for (int i = 0; i < 3; ++i) closed(ones({2}));
  CHECK(closed.stats().recordings == 1);
}

TEST_CASE("captures: a recompile names the operation that differs, with its line") {
  int power = 1;
  const auto compiled = compile([&](const Tensor& x) {
    return power == 1 ? x * 2.0f : exp(x);  // this line
  });
  compiled(ones({3}));
  power = 2;
  compiled(ones({3}));
  REQUIRE(compiled.explain().recompiles.size() == 1);
  const std::string reason = compiled.explain().recompiles[0];
  INFO(reason);
  CHECK(contains(reason, "exp"));
  CHECK(contains(reason, text("captures_test.cpp:", __LINE__ - 9)));
}

TEST_CASE("captures: a recording depends on which of two values is detached") {
  bool first = true;
  const auto plain = [&](const Tensor& x) {
    const Tensor a = x * 2.0f, b = x * 3.0f;
    return detach(first ? a : b) * 5.0f + 0.0f * a * b;
  };
  const auto compiled = compile(plain);
  for (int i = 0; i < 4; ++i, first = !first) {
    CHECK(near(compiled(ones({2})), {first ? 10.0f : 15.0f, first ? 10.0f : 15.0f}));
  }
}
