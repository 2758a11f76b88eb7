#include <doctest/doctest.h>
#include <sinter/jit/interface/option_table.hpp>
#include <sinter/runtime/host/thread_pool.hpp>

#include <atomic>
#include <fstream>
#include <sstream>

#include "jit/support.hpp"

using namespace testing;

namespace {

const auto function = [](const Tensor& x) { return exp(x) * 2.0f; };

std::string error_of(const std::string& text) {
  return message_of<ValueError>([&] { static_cast<void>(parse_options(text)); });
}

}  // namespace

TEST_CASE("option_table: a text sets the members that it names, and leaves the others") {
  const CompileOptions options = parse_options(
      "backend=aot_eager, mode=max_autotune ,dynamic=off,fullgraph,recompile_limit=3,name=step,"
      "numerics=strict,background=true,autotune_seconds=0.25,force_compiled=0,threads=2",
      {.force_compiled = true});
  CHECK(options.backend == Backend::aot_eager);
  CHECK(options.mode == Mode::max_autotune);
  CHECK(options.dynamic == Dynamic::off);
  CHECK(options.fullgraph);
  CHECK(options.recompile_limit == 3);
  CHECK(options.name == "step");
  CHECK(options.numerics == Numerics::strict);
  CHECK(options.background);
  CHECK(options.autotune_seconds == 0.25);
  CHECK_FALSE(options.force_compiled);
  CHECK(options.threads == 2);
  CHECK(parse_options("", {.recompile_limit = 5}).recompile_limit == 5);
}

TEST_CASE("option_table: an unknown name is refused with the names, the nearest, and the line") {
  const std::string told = error_of("mode=standard,fulgraph=1");
  INFO(told);
  CHECK(contains(told, "there is no option of this name"));
  CHECK(contains(told, "option fulgraph\n"));
  CHECK(contains(told, "did you mean fullgraph?"));
  CHECK(contains(told, "option_table_test.cpp"));
  for (const jit::Option& option : jit::option_table()) {
    INFO(option.name);
    CHECK(contains(told, std::string(option.name)));
  }
  CHECK(contains(error_of("=1"), "(empty)"));
  CHECK_FALSE(contains(error_of("zzzzzz"), "did you mean"));
}

TEST_CASE("option_table: a value that the option does not have is refused with its values") {
  const std::string told = error_of("mode=fastest");
  CHECK(contains(told, "standard, reduce_overhead, max_autotune"));
  CHECK(contains(told, "fastest"));
  for (const char* const text :
       {"fullgraph=2", "recompile_limit=8x", "autotune_seconds=", "threads=1.5", "backend=inductor",
        "evict=2", "recompile_limit=99999999999"}) {
    INFO(text);
    CHECK(contains(error_of(text), "an option has no such value"));
  }
}

TEST_CASE("option_table: SINTER_OPTIONS wins over the options of the program") {
  const ScopedVariable chosen("SINTER_OPTIONS", "backend=eager,recompile_limit=2");
  const auto f = compile(function, {.recompile_limit = 5});
  CHECK(near_tensor(f(zeros({4})), full({4}, 2.0f)));
  CHECK(f.stats().kernels == 0);
  CHECK(contains(f.explain().graphs.at(0).interpreted, "Backend::eager"));
}

TEST_CASE("option_table: a mistake in SINTER_OPTIONS is an error at the line of compile()") {
  const ScopedVariable chosen("SINTER_OPTIONS", "numerics=stict");
  const std::string told = message_of<ValueError>([] { compile(function); });
  CHECK(contains(told, "SINTER_OPTIONS=numerics=stict"));
  CHECK(contains(told, "fast, strict"));
  CHECK(contains(told, "option_table_test.cpp"));
}

TEST_CASE("option_table: values out of range are errors of compile(), whoever gives them") {
  CHECK(
      contains(message_of<ValueError>([] { compile(function, {.threads = -1}); }), "threads >= 0"));
  const ScopedVariable chosen("SINTER_OPTIONS", "recompile_limit=0");
  CHECK(contains(message_of<ValueError>([] { compile(function); }), "recompile_limit >= 1"));
}

TEST_CASE("option_table: threads limits the threads of one function") {
  const Tensor x = randn({400, 700});
  const auto many = compile([](const Tensor& v) { return softmax(v * 2.0f, -1); });
  const auto one = compile([](const Tensor& v) { return softmax(v * 2.0f, -1); }, {.threads = 1});
  CHECK(near_tensor(one(x), many(x), 1e-5));
  set_num_threads(3);
  std::atomic<int> most = 0;
  {
    const runtime::ThreadLimit limit(2);
    auto body = [&](int, int threads) { most = threads; };
    runtime::run_on_threads(3, body);
    CHECK(most <= 2);
    const runtime::ThreadLimit inner(5);  // a limit within a limit does not widen it
    runtime::run_on_threads(3, body);
    CHECK(most <= 2);
  }
  set_num_threads(0);
}

TEST_CASE("option_table: docs/compile_options.md has a row for each option") {
  std::ifstream page(SINTER_SOURCE_DIR "/docs/compile_options.md");
  std::stringstream told;
  told << page.rdbuf();
  for (const jit::Option& option : jit::option_table()) {
    INFO(option.name);
    CHECK(contains(told.str(), "\n| `" + std::string(option.name) + "` | "));
  }
}
