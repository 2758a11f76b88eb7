#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include <sinter/base/error.hpp>
#include <sinter/jit/rewrite/custom_check.hpp>

#include "custom_graphs.hpp"

using namespace custom_graphs;

namespace {

// Runs the comparison of a result with a reference.
void compare(float found, float expected) {
  Graph graph = graph_of(code("float f(float x) { return x; }", ""), false);
  Builder build(graph);
  const Value y = graph.outputs[0], r = build.input({f32, {4}});
  const Value checked = jit::compared(build, graph[y.node], {&y, 1}, {&r, 1})[0];
  const CustomCode& check = custom_code(graph[checked.node]);
  float a[] = {1, 2, 3, found}, b[] = {1, 2, 3, expected}, c[4] = {};
  const std::int64_t shape[] = {4};
  const RawTensor in[]{{a, f32, shape}, {b, f32, shape}}, out[]{{c, f32, shape}};
  (*check.call)(in, out);
  CHECK((c[3] == found || std::isnan(found)));
}

}  // namespace

TEST_CASE("custom_check: results near those of the reference pass, others are errors") {
  compare(4, 4);
  compare(4, 4.001f);
  compare(NAN, NAN);
  for (const float wrong : {4.1f, static_cast<float>(NAN)}) {
    try {
      compare(wrong, 4);
      FAIL_CHECK("nothing was thrown");
    } catch (const ValueError& error) {
      CHECK(std::string(error.what()).find("test::f") != std::string::npos);
      CHECK(std::string(error.what()).find("reference") != std::string::npos);
    }
  }
}
