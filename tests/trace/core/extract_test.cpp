#include "testing.hpp"

#include <sinter/graph/print.hpp>
#include <sinter/graph/verify.hpp>
#include <sinter/trace/core/extract.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/transform/grad.hpp>

using namespace testing;

TEST_CASE("extract: copies what a value is computed from, each node once") {
  Recorder recorder;
  RecorderScope scope(&recorder);
  const Tensor x = recorder.placeholder({f32, {3}}), y = recorder.placeholder({f32, {3}});
  const Tensor sum = add(x, y), result = mul(sum, add(x, y));
  Graph graph;
  Extractor extractor(graph, &recorder);
  extractor.add_input(x);
  extractor.add_input(y);

  graph.outputs = {extractor.add(result)};

  CHECK(to_string(graph) ==
        "%0: f32[3] = input\n"
        "%1: f32[3] = input\n"
        "%2: f32[3] = add %0 %1\n"
        "%3: f32[3] = mul %2 %2\n"
        "return %3\n");
  verify(graph);
}

TEST_CASE("extract: elements that are there become inputs") {
  const Tensor x = vector({1, 2}), y = add(x, 1);
  y.to_vector<float>();
  Graph graph;
  Extractor extractor(graph);

  graph.outputs = {extractor.add(mul(y, x))};

  CHECK(graph.inputs.size() == 2);
  CHECK(extractor.inputs()[0].lazy() == y.lazy());
  CHECK(extractor.inputs()[1].lazy() == x.lazy());
}

TEST_CASE("extract: sizes are written as the recorder resolved them") {
  Recorder recorder;
  RecorderScope scope(&recorder);
  const Extent n = recorder.symbol({}, 4, Freedom::fixed, "n");
  const Extent m = recorder.symbol({}, 4, Freedom::marked, "m");
  const Tensor x = recorder.placeholder({f32, {n}}), y = recorder.placeholder({f32, {m}});
  const Tensor half = slice(x, 0, 0, floor_div(n, 2)), sum = add(x, y);
  Graph graph;
  Extractor extractor(graph, &recorder);
  graph.outputs = {extractor.add(half), extractor.add(sum)};

  for (const Node& node : graph.nodes) {
    for (const TensorType& type : node.results) {
      INFO(to_string(graph));
      CHECK(to_string(type.shape).find("s0") == std::string::npos);
    }
  }
  verify(graph);
}

TEST_CASE("extract: detached values are what they stand for, or inputs of their own") {
  Recorder recorder;
  RecorderScope scope(&recorder);
  const Tensor x = recorder.placeholder({f32, {2}});
  const Tensor result = mul(x, detach(exp(x)));
  Graph as_values, as_inputs;

  Extractor(as_values, &recorder).add(result);
  Extractor(as_inputs, &recorder, Detached::as_inputs).add(result);

  CHECK(as_values.inputs.size() == 1);
  CHECK(as_inputs.inputs.size() == 2);
}

TEST_CASE("extract: chains may be long") {
  Tensor x = zeros({});
  for (int i = 0; i < 100'000; ++i) x = neg(x);
  Graph graph;
  Extractor(graph).add(x);
  CHECK(graph.nodes.size() == 100'001);
}
