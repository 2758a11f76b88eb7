// What a Bisector keeps for minify(): the fault, and the program as it was recorded.

#include <doctest/doctest.h>

#include <sinter/debug/bisector.hpp>

#include "planted_cases.hpp"

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("bisector: keeps the whole problem") {
  const planted::Plant plant(planted::fault_of("relax_arithmetic"));
  const auto f = compile([](const Tensor& a) { return sin(a / 3.0f) + exp(a); });
  const Tensor x = planted::ramp({4}, 1, 1);
  debug::CallAccess::with(
      f,
      [](const debug::CompiledCall& call) {
        const BisectOptions options;
        debug::Bisector bisector(call, options);
        CHECK(bisector.run().found);
        CHECK(bisector.fault() == debug::FailureKind::passes);
        CHECK(debug::operation_count(bisector.problem().graph) == 4);
      },
      x);
}

TEST_CASE("bisector: an error's first line") {
  CHECK(debug::first_line("one\ntwo") == "one");
  CHECK(debug::first_line("one") == "one");
}
