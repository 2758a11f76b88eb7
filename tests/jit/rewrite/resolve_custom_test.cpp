#include <doctest/doctest.h>

#include <sinter/base/container/algorithm.hpp>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/control.hpp>
#include <sinter/graph/verify.hpp>
#include <sinter/jit/rewrite/resolve_custom.hpp>

#include "custom_graphs.hpp"

using namespace custom_graphs;

TEST_CASE("resolve_custom: the kernel of the device computes it, else the reference") {
  const NoChecks plain;
  const CustomCode both = code("void f(const float* x, float* y, long n) {}", "");
  const Graph graph = graph_of(both, true);
  const Graph host = jit::resolve_custom(graph, false), gpu = jit::resolve_custom(graph, true);
  verify(host), verify(gpu);
  CHECK(count(host, Op::custom) == 1);
  CHECK(count(gpu, Op::custom) == 0);
  CHECK(count(gpu, Op::exp) == 1);
  CHECK_THROWS_AS(jit::resolve_custom(graph_of(both, false), true), DeviceError);
}

TEST_CASE("resolve_custom: on a GPU a host function is called where nothing else computes it") {
  const NoChecks plain;
  struct Nothing : HostKernel {
    void operator()(std::span<const RawTensor>, std::span<const RawTensor>) const override {}
  };
  CustomCode f = code("", "");
  f.call = make_shared_ptr<const Nothing>();
  const auto kernel_of = [&](bool has_reference) -> std::string {
    const Graph graph = jit::resolve_custom(graph_of(f, has_reference), true);
    verify(graph);
    for (const Node& node : graph.nodes) {
      if (node.op == Op::custom) return attribute<std::string>(node, "kernel");
    }
    return "none";
  };
  CHECK(kernel_of(false) == "call");
  CHECK(kernel_of(true) == "none");
  f.has_side_effects = true;
  CHECK(kernel_of(true) == "call");
}

TEST_CASE("resolve_custom: elementwise texts are elementwise operations") {
  const NoChecks plain;
  const CustomCode f = code("float f(float x) { return x; }", "");
  const Graph host = jit::resolve_custom(graph_of(f, true), false);
  verify(host);
  CHECK(count(host, Op::custom_elementwise) == 1);
  const Graph half = jit::resolve_custom(graph_of(f, false, f16), false);
  CHECK(count(half, Op::custom_elementwise) == 1);
  CHECK(count(half, Op::cast) == 2);
  const CustomCode mixed = code("double f(float x) { return x; }", "");
  CHECK(count(jit::resolve_custom(graph_of(mixed, false, f32, f64), false), Op::custom) == 1);
}
