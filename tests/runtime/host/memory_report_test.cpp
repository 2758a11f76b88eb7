#include <doctest/doctest.h>
#include <sinter/runtime/host/memory_report.hpp>

#include <string>
#include <vector>

using namespace sinter;
using namespace sinter::detail;
using schedule::Home;

TEST_CASE(
    "memory_report: counts the bytes of a plan for the sizes of a call, and names the largest") {
  const Extent n = Extent::symbol(0);
  const Where line = Where::current();
  schedule::Plan plan;
  plan.kernels.resize(1);
  plan.kernels[0].name = "exp_f32_1d";
  plan.buffers = {{.dtype = f32, .elements = n, .home = Home::input, .position = 0},
                  {.dtype = f64, .elements = n * 2, .home = Home::arena},
                  {.dtype = f32, .elements = n, .home = Home::output, .position = 0},
                  {.dtype = f32, .elements = 3, .home = Home::output, .position = 1}};
  plan.inputs = {0};
  plan.outputs = {2, 3};
  plan.arena_bytes = n * 16;
  plan.launches = {{.buffers = {0, 1}, .lines = {line}}, {.buffers = {1, 2}}};
  const std::vector<std::int64_t> symbols{100};
  const schedule::Update update{.input = 0, .output = 0};
  const auto facts = runtime::memory_facts(plan, {&update, 1}, symbols);
  REQUIRE(facts.size() == 2);
  CHECK(facts[0].first == "plan");
  CHECK(facts[0].second ==
        "1600 bytes of intermediates, 400 of inputs, 412 of results (400 updated in place)");
  CHECK(facts[1].first == "largest");
  CHECK(facts[1].second == "1600 bytes, intermediate value of exp_f32_1d at " + to_string(line) +
                               "; 400 bytes, input 0; 400 bytes, result 0 of exp_f32_1d; 12 bytes, "
                               "result 1");
}

TEST_CASE("memory_report: gives sizes in symbols, and names the largest buffers if none varies") {
  const auto plan_of = [](Extent n) {
    schedule::Plan plan;
    plan.buffers = {{.dtype = f32, .elements = n, .home = Home::input, .position = 0},
                    {.dtype = f64, .elements = n, .home = Home::output, .position = 0}};
    plan.inputs = {0};
    plan.outputs = {1};
    plan.arena_bytes = n * 16;
    return plan;
  };
  const std::string varying = runtime::memory_text(plan_of(Extent::symbol(0)));
  CHECK(varying == "16*s0 bytes of intermediates, 4*s0 of inputs, 8*s0 of results");
  const std::string known = runtime::memory_text(plan_of(5));
  CHECK(known ==
        "80 bytes of intermediates, 20 of inputs, 40 of results; the largest: 40 bytes, result 0; "
        "20 bytes, input 0");
  CHECK(runtime::memory_text({}) == "0 bytes of intermediates, 0 of inputs, 0 of results");
}
