#include <doctest/doctest.h>
#include <sinter/runtime/interpreter/custom.hpp>

#include "jit/custom_graphs.hpp"

using namespace custom_graphs;

namespace {

// 3 * x
struct Triple : HostKernel {
  void operator()(std::span<const RawTensor> in, std::span<const RawTensor> out) const override {
    for (std::int64_t i = 0; i < in[0].numel(); ++i) {
      out[0].data<float>()[i] = 3 * in[0].data<float>()[i];
    }
  }
};

// The last element of the result of the node of `graph` for 0, 1, 2, 3.
float last_of(const Graph& graph) {
  const Storage x = Storage::allocate(16);
  for (int i = 0; i < 4; ++i) static_cast<float*>(x.data())[i] = static_cast<float>(i);
  using runtime::interpreter::Array;
  const Array operand{.dtype = f32, .shape = {4}, .strides = {1}, .storage = x};
  const Node& node = graph[graph.outputs[0].node];
  const auto results =
      runtime::interpreter::interpret_custom(node, {&operand, 1}, [](Extent) { return 0; });
  REQUIRE(results.size() == 1);
  return static_cast<const float*>(results[0].storage.data())[3];
}

}  // namespace

TEST_CASE("custom_node: the host function is preferred to the reference, and that to the text") {
  const NoChecks plain;
  CustomCode called = code("float f(float x) { return 7 * x; }", "");
  const Graph by_text = graph_of(called, false);
  CHECK(last_of(by_text) == 21);
  const Graph by_reference = graph_of(called, true);
  const float reference = last_of(by_reference);
  CHECK(reference != 21);
  called.call = make_shared_ptr<const Triple>();
  CHECK(last_of(graph_of(called, true)) == 9);
}
