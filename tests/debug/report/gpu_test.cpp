// test: deep emulator
#include <doctest/doctest.h>
#include <sinter/debug/report/facts.hpp>
#include <sinter/jit/state/state.hpp>

#include "cuda_emulator/gpus.hpp"
#include "debug/report/json_value.hpp"
#include "jit/support.hpp"

using namespace testing;
using namespace sinter::detail::debug;

TEST_CASE("report facts: kernels of a GPU have their fusion groups and memory") {
  SINTER_GPUS(machine, 1);
  auto f = compile([](const Tensor& x, const Tensor& w) { return softmax(matmul(x, w), -1); });
  f(ones({8, 16}).to(cuda()), ones({16, 4}).to(cuda()));
  const Json facts =
      JsonReader::value(facts_json(f.state()->history(), [](StringTable&) { return "null"; }));
  const Json& program = facts["programs"][0];
  CHECK(contains(program["device"].text, "cuda"));
  REQUIRE(program["launches"].list.size() == f.explain().kernels.size());
  for (std::size_t i = 0; i < program["launches"].list.size(); ++i) {
    const Json& launch = program["launches"][i];
    CHECK(launch["read"].integer() == f.explain().kernels[i].bytes_read);
    CHECK_FALSE(launch["groups"].list.empty());
  }
  CHECK(program["memory"]["arena"].integer() == f.stats().peak_bytes);
}
