#include <doctest/doctest.h>
#include <sinter/jit/state/limits.hpp>

#include <thread>

#include "jit/support.hpp"

using namespace testing;

namespace {

const auto twice = [](const Tensor& x) { return x + x; };
constexpr CompileOptions two_variants{
    .dynamic = Dynamic::off, .recompile_limit = 2, .name = "twice", .evict = true};

// A function that is traced on every call.
const auto positive_part = [](const Tensor& x) {
  if (sum(x).item<float>() < 0) return x * 0.0f;
  return x * 2.0f;
};

}  // namespace

TEST_CASE("limits: after reset() a function records again, and its limit starts anew") {
  const auto f = compile(twice, {.dynamic = Dynamic::off, .recompile_limit = 2});
  const auto reach_limit = [&] {
    return said([&] {
      for (int n = 2; n <= 5; ++n) CHECK(near_tensor(f(ones({n})), full({n}, 2.0f)));
    });
  };
  CHECK(contains(reach_limit(), "recompile_limit = 2 is reached"));
  CHECK(f.stats().variants == 2);
  const std::int64_t eager = f.stats().eager_calls;
  CHECK(eager == 2);
  reset();
  CHECK(f.stats().variants == 0);
  CHECK(f.explain().recompiles.empty());
  CHECK(f.explain().graphs.empty());
  f(ones({5}));
  f(ones({4}));
  CHECK(f.stats().eager_calls == eager);  // compiled now
  CHECK(f.stats().variants == 2);
  CHECK(contains(reach_limit(), "recompile_limit = 2 is reached"));  // reported once more
}

TEST_CASE("limits: reset() drops what a traced function compiled, and its breaks are told again") {
  const auto f = compile(positive_part, {.dynamic = Dynamic::off});
  CHECK(contains(said([&] { f(ones({3})); }), "graph break"));
  CHECK(said([&] { f(ones({3})); }).empty());
  const std::int64_t recordings = f.stats().variants;
  CHECK(recordings == 1);
  reset();
  CHECK(f.stats().variants == 0);
  CHECK(contains(said([&] { CHECK(near_tensor(f(ones({3})), full({3}, 2.0f))); }), "graph break"));
  CHECK(f.stats().variants == 1);
}

TEST_CASE("limits: a frozen function keeps its recordings") {
  const auto f = compile(twice);
  f(ones({3}));
  f.freeze();
  reset();
  CHECK(near_tensor(f(ones({3})), full({3}, 2.0f)));
  CHECK(f.stats().variants == 1);
}

TEST_CASE("limits: reset() while other threads call") {
  const auto f = compile(twice);
  std::thread other([&] {
    for (int i = 0; i < 200; ++i) CHECK(near_tensor(f(ones({3})), full({3}, 2.0f)));
  });
  for (int i = 0; i < 20; ++i) reset();
  other.join();
  CHECK(near_tensor(f(ones({3})), full({3}, 2.0f)));
}

TEST_CASE("limits: functions that have ended are not reset") {
  for (int i = 0; i < 300; ++i) compile(twice);
  reset();
  const auto f = compile(twice);
  CHECK(near_tensor(f(ones({3})), full({3}, 2.0f)));
}

TEST_CASE("limits: with evict the least recently used recording goes at recompile_limit") {
  const ScopedVariable logs("SINTER_LOGS", "recompiles");
  const auto f = compile(twice, two_variants);
  f(ones({2}));
  f(ones({3}));
  f(ones({2}));  // 3 is now the least recently used
  const std::string told = said([&] { CHECK(near_tensor(f(ones({4})), full({4}, 2.0f))); });
  INFO(told);
  CHECK(contains(told, "twice at "));
  CHECK(contains(told, "recompile_limit = 2 is reached; dropped the least recently used"));
  CHECK(contains(told, "f32[3]"));
  CHECK(f.stats().variants == 2);
  CHECK(f.stats().evictions == 1);
  CHECK(f.stats().eager_calls == 0);
  const std::int64_t recordings = f.stats().recordings;
  f(ones({2}));
  f(ones({4}));
  CHECK(f.stats().recordings == recordings);  // both are still there
  CHECK(near_tensor(f(ones({3})), full({3}, 2.0f)));
  CHECK(f.stats().recordings == recordings + 1);
  CHECK(f.stats().evictions == 2);
}

TEST_CASE("limits: with evict neither prepare() nor force_compiled fails at recompile_limit") {
  CompileOptions options = two_variants;
  options.recompile_limit = 1, options.force_compiled = true;
  const auto f = compile(twice, options);
  f(ones({2}));
  f.prepare(TensorSpec{{3}});
  CHECK(near_tensor(f(ones({3})), full({3}, 2.0f)));
  CHECK(near_tensor(f(ones({4})), full({4}, 2.0f)));
  CHECK(f.stats().interpreted == 0);
  CHECK(f.stats().evictions == 2);
}

TEST_CASE("limits: with evict a traced function stays compiled, in bounded memory") {
  const auto f = compile(positive_part, two_variants);
  said([&] {
    for (int round = 0; round < 2; ++round) {
      for (int n = 2; n <= 6; ++n) CHECK(near_tensor(f(ones({n})), full({n}, 2.0f)));
    }
  });
  CHECK(f.stats().eager_calls == 0);
  CHECK(f.stats().variants == 2);
  CHECK(f.stats().evictions == 8);
}

TEST_CASE("limits: when compile_seconds is used up, what is not compiled yet is interpreted") {
  const ScopedFreshCache fresh;
  const auto f =
      compile(twice, {.dynamic = Dynamic::off, .name = "twice", .compile_seconds = 1e-6});
  CHECK(near_tensor(f(ones({3})), full({3}, 2.0f)));  // a compiler that has started is not stopped
  CHECK(f.stats().compiler_runs == 1);
  CHECK(f.stats().over_budget == 0);
  const std::string told = said([&] {
    CHECK(near_tensor(f(ones({4})), full({4}, 2.0f)));
    CHECK(near_tensor(f(ones({5})), full({5}, 2.0f)));
  });
  CHECK(count(told, "compile_seconds = 1e-06 is used up") == 1);
  CHECK(contains(told, "twice at "));
  CHECK(f.stats().compiler_runs == 1);
  CHECK(f.stats().over_budget == 2);
  CHECK(f.stats().interpreted == 2);
  CHECK(contains(f.explain().graphs.at(0).interpreted, "compile_seconds"));
  CHECK(near_tensor(f(ones({3})), full({3}, 2.0f)));
  CHECK(f.explain().graphs.at(0).interpreted.empty());
  reset();
  said([&] { f(ones({4})); });
  CHECK(f.explain().graphs.at(0).interpreted.empty());  // the budget starts anew
}

TEST_CASE("limits: kernels that another function compiled cost nothing") {
  const ScopedFreshCache fresh;
  compile(twice, {.dynamic = Dynamic::off})(ones({4}));
  const auto f = compile(twice, {.dynamic = Dynamic::off, .compile_seconds = 1e-6});
  f(ones({3}));
  f(ones({4}));
  CHECK(f.stats().over_budget == 0);
  CHECK(f.stats().interpreted == 0);
}

TEST_CASE("limits: compile_seconds also covers traced functions and gradients") {
  const ScopedFreshCache fresh;
  const auto f = compile(positive_part, {.dynamic = Dynamic::off, .compile_seconds = 1e-6});
  said([&] { CHECK(near_tensor(f(ones({3})), full({3}, 2.0f))); });
  CHECK(f.stats().over_budget == 1);  // of two graphs
  const auto g = compile([](const Tensor& x) { return sum(sin(x)); }, {.compile_seconds = 1e-6});
  said([&] { CHECK(near_tensor(grad(g)(zeros({3})), ones({3}))); });
  CHECK(g.stats().over_budget == 1);
}

TEST_CASE("limits: without enough time for it nothing is tuned; a budget is not negative") {
  const ScopedFreshCache fresh;
  const ScopedVariable logs("SINTER_LOGS", "autotune");
  const auto f =
      compile(twice, {.mode = Mode::max_autotune, .autotune_seconds = 30, .compile_seconds = 20});
  const std::string told = said([&] { f(randn({3000})); });
  CHECK(contains(told, "nothing is tuned: 20 s are left of compile_seconds = 20"));
  CHECK_FALSE(contains(told, "chosen"));
  CHECK(f.stats().interpreted == 0);
  CHECK_THROWS_AS(compile(twice, {.compile_seconds = -1}), ValueError);
}

TEST_CASE("limits: under force_compiled a budget that is used up is an error") {
  const ScopedFreshCache fresh;
  const auto f =
      compile(twice, {.dynamic = Dynamic::off, .force_compiled = true, .compile_seconds = 1e-6});
  f(ones({3}));
  const std::string told = said([&] {
    CHECK(contains(message_of<CompilerError>([&] { f(ones({4})); }), "compile_seconds = 1e-06"));
  });
}
