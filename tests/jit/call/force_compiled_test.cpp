// Calls that require compiled code: the option, the stance, and reports about interpreted variants.

#include <doctest/doctest.h>

#include "jit/support.hpp"

using namespace testing;

namespace {

const auto twice = [](const Tensor& x) { return x * 2.0f; };
// Reads elements, so that it is traced on every call.
const auto absolute = [](const Tensor& x) { return sum(x) < 0.0f ? -x : x + 0.0f; };
const auto add_in_place = [](Tensor& state, const Tensor& x) {
  state = state + x;
  return sum(state);
};

// While it exists, the caches are empty and there is no compiler.
struct NoCompiler {
  ScopedFreshCache fresh{};
  bool is_reset = (reset(), true);
  ScopedVariable chosen{"SINTER_CXX", "/nonexistent/compiler"};
};

template <class Body>
void check_refused(Body body) {
  const std::string report = message_of<CompilerError>(body);
  INFO(report);
  for (const char* part : {"there is no compiled code for the call", "/nonexistent/compiler",
                           "force_compiled", "SINTER_CXX", "force_compiled_test.cpp:"}) {
    CHECK(contains(report, part));
  }
}

}  // namespace

TEST_CASE("force_compiled: without a compiler calls and prepare throw, and change nothing") {
  const auto f = compile(add_in_place, {.force_compiled = true});
  Tensor state = ones({3});
  {
    const NoCompiler none;
    check_refused([&] { f(state, ones({3})); });
    check_refused([&] { f.prepare(state, ones({3})); });
    CHECK(near_tensor(state, ones({3})));
    CHECK(f.stats().variants == 0);
    CHECK(f.stats().calls == 0);
  }
  f(state, ones({3}));
  CHECK(near_tensor(state, full({3}, 2.0f)));
  CHECK(f.stats().eager_calls == 0);
}

TEST_CASE("force_compiled: kernels of the disk cache need no compiler") {
  const ScopedFreshCache fresh;
  reset();
  compile(twice)(ones({5}));
  reset();
  const ScopedVariable chosen("SINTER_CXX", "/nonexistent/compiler");
  const auto f = compile(twice, {.force_compiled = true});
  CHECK(near_tensor(f(ones({5})), full({5}, 2.0f)));
  CHECK(f.stats().interpreted == 0);
}

TEST_CASE("force_compiled: the stance applies to every function, and to old variants") {
  const auto f = compile(twice);
  const auto g = compile(absolute);
  const auto call_both = [&] {
    CHECK(near_tensor(f(ones({3})), full({3}, 2.0f)));
    CHECK(near_tensor(g(-ones({3})), ones({3})));
  };
  {
    const NoCompiler none;
    for (int i = 0; i < 3; ++i) call_both();
    CHECK(f.stats().interpreted == 1);
    CHECK(g.stats().interpreted > 0);
    const ScopedStance scope(Stance::force_compiled);
    check_refused([&] { f(ones({3})); });
    check_refused([&] { g(-ones({3})); });
    check_refused([&] { compile(twice).prepare(TensorSpec{{4}}); });
  }
  const std::int64_t interpreted = f.stats().eager_calls;
  {
    const ScopedStance scope(Stance::force_compiled);
    for (int i = 0; i < 2; ++i) call_both();
  }
  CHECK(f.stats().interpreted == 0);
  CHECK(f.stats().variants == 1);
  CHECK(f.stats().eager_calls == interpreted);
  CHECK(g.explain().graphs[0].interpreted.empty());
}

TEST_CASE("force_compiled: past recompile_limit a call throws, with the reason for the recompile") {
  const auto f = compile(
      twice,
      {.dynamic = Dynamic::off, .recompile_limit = 1, .name = "doubled", .force_compiled = true});
  f(ones({3}));
  const std::string report = message_of<RecompileLimitError>([&] { f(ones({4})); });
  INFO(report);
  CHECK(contains(report, "doubled: recompile_limit is reached"));
  CHECK(contains(report, "expected size(0) == 3, found 4"));
  f(ones({3}));
  CHECK(f.stats().eager_calls == 0);
  const auto g =
      compile(absolute, {.dynamic = Dynamic::off, .recompile_limit = 1, .force_compiled = true});
  g(ones({3}));
  CHECK_THROWS_AS(g(ones({4})), RecompileLimitError);
}

TEST_CASE("force_compiled: with background a call waits for the compiler") {
  const ScopedFreshCache fresh;
  reset();
  const auto f = compile(twice, {.background = true, .force_compiled = true});
  const auto g = compile(absolute, {.background = true});
  f(ones({6}));
  {
    const ScopedStance scope(Stance::force_compiled);
    g(ones({6}));
  }
  CHECK(f.stats().eager_calls + g.stats().eager_calls == 0);
  wait_for_background();
}

TEST_CASE("force_compiled: contradicts a backend that interprets") {
  const auto make = [](Backend backend) {
    compile(twice, {.backend = backend, .force_compiled = true});
  };
  CHECK(contains(message_of<ValueError>([&] { make(Backend::eager); }), "Backend::eager"));
  CHECK(contains(message_of<ValueError>([&] { make(Backend::aot_eager); }), "Backend::aot_eager"));
  const auto f = compile(twice, {.backend = Backend::eager});
  const ScopedStance scope(Stance::force_compiled);
  const std::string report = message_of<CompilerError>([&] { f(ones({3})); });
  CHECK(contains(report, "Backend::eager"));
  CHECK(contains(report, "compile the function with Backend::fused"));
}

TEST_CASE("force_compiled: Stance::force_eager wins") {
  const auto f = compile(twice, {.force_compiled = true});
  f(ones({3}));
  for (const Stance stance : {Stance::force_eager, Stance::eager_on_recompile}) {
    const ScopedStance scope(stance);
    CHECK(near_tensor(f(ones({4})), full({4}, 2.0f)));
  }
  CHECK(f.stats().eager_calls == 2);
  CHECK(f.stats().interpreted == 0);
}

TEST_CASE("force_compiled: freeze checks the programs compiled so far") {
  const NoCompiler none;
  const auto f = compile(twice, {.name = "served"});
  f.prepare(TensorSpec{{3}});
  {
    const ScopedStance scope(Stance::force_compiled);
    check_refused([&] { f.freeze(); });
  }
  const std::string text = said([&] {
    f.freeze();
    f.freeze();
  });
  CHECK(count(text, "served at ") == 1);
  CHECK(contains(text, "1 interpreted program: there is no C++ compiler: "));
  CHECK(near_tensor(f(ones({3})), full({3}, 2.0f)));
}

TEST_CASE("force_compiled: stats and explain say what is interpreted, and why") {
  const NoCompiler none;
  const auto f = compile(twice);
  const auto g = compile(absolute);
  const auto eager = compile(twice, {.backend = Backend::eager});
  f(ones({3})), g(ones({3})), eager(ones({3}));
  CHECK(f.stats().interpreted == 1);
  CHECK(eager.stats().interpreted == 1);
  CHECK(contains(f.explain().graphs[0].interpreted, "there is no C++ compiler: SINTER_CXX="));
  CHECK(contains(g.explain().graphs[0].interpreted, "there is no C++ compiler: SINTER_CXX="));
  CHECK(eager.explain().graphs[0].interpreted == "Backend::eager");
  CHECK(contains(to_string(f.explain()), ", interpreted: there is no C++ compiler: "));
  CHECK(contains(to_json(f.explain()), "\"interpreted\": \"there is no C++ compiler"));
}

TEST_CASE("force_compiled: a call past the limit is reported as interpreted because of it") {
  const auto f = compile(twice, {.dynamic = Dynamic::off, .recompile_limit = 1});
  f(ones({3}));
  CHECK(f.explain().graphs[0].interpreted.empty());
  said([&] { f(ones({4})); });
  CHECK(f.explain().graphs[0].interpreted == "recompile_limit = 1 is reached");
  CHECK(f.stats().interpreted == 0);  // the call left no variant
}
