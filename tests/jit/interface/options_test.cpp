#include <doctest/doctest.h>
#include <sinter/jit/interface/options.hpp>

#include "jit/support.hpp"

using namespace testing;

namespace {

Explanation example() {
  return {.graphs = {{3, "%0 = input\n"}},
          .breaks = {{"a read", Where::current(), "use where"}},
          .guards = {"argument 0 is f32[2]"},
          .recompiles = {"argument 0: expected 2, found 3"},
          .kernels = {{"chain", "void f() { puts(\"x\\n\"); }\n", 8, 16, {Where::current()}}}};
}

}  // namespace

TEST_CASE("options: the defaults agree with the documentation") {
  const CompileOptions options;
  CHECK(options.backend == Backend::fused);
  CHECK(options.dynamic == Dynamic::automatic);
  CHECK(options.numerics == Numerics::fast);
  CHECK(options.recompile_limit == 8);
  CHECK_FALSE(options.fullgraph);
}

TEST_CASE("options: designators may be given in the documented order") {
  const CompileOptions options{.backend = Backend::eager,
                               .mode = Mode::reduce_overhead,
                               .dynamic = Dynamic::off,
                               .fullgraph = true,
                               .recompile_limit = 2,
                               .name = "step",
                               .numerics = Numerics::strict,
                               .background = false,
                               .autotune_seconds = 2,
                               .force_compiled = true};
  CHECK(options.name == "step");
}

TEST_CASE("options: the text of an explanation has all parts") {
  const std::string told = to_string(example());
  for (const char* part :
       {"1 graph, 1 break, 1 kernel\n", "graph of 3 operations", "%0 = input", "a read; use where",
        "argument 0 is f32[2]", "found 3", "kernel chain, reads 8 bytes, writes 16", "void f()"}) {
    INFO(part);
    CHECK(contains(told, part));
  }
}

TEST_CASE("options: an explanation as JSON is escaped as JSON requires") {
  const std::string json = to_json(example());
  CHECK(json.starts_with("{\"graphs\": [{\"operations\": 3, \"text\": \"%0 = input\\n\"}]"));
  CHECK(contains(json, "puts(\\\"x\\\\n\\\");"));
  CHECK(contains(json, "\"bytes_read\": 8, \"bytes_written\": 16"));
  CHECK(contains(json, "\"lines\": [\""));
  Explanation odd;
  odd.guards = {std::string("\x01\t", 2)};
  CHECK(contains(to_json(odd), "\\u0001\\u0009"));
}
