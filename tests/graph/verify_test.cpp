#include <doctest/doctest.h>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/verify.hpp>

#include <string>

using namespace sinter;
using namespace sinter::detail;

namespace {

const TensorType x4{f32, {4}};

Graph well_formed() {
  Graph graph;
  Builder build(graph);
  const Value x = build.input(x4);
  graph.outputs = {build.add(x, build.elementwise(Op::exp, {x}))};
  return graph;
}

// The first line of what verify says of `graph`, "" if it is well formed.
std::string complaint(const Graph& graph) {
  try {
    verify(graph);
  } catch (const InternalError& error) {
    const std::string text = error.what();
    return text.substr(0, text.find('\n'));
  }
  return "";
}

}  // namespace

TEST_CASE("verify: accepts a graph that the builder wrote, and one without nodes") {
  CHECK(complaint(well_formed()) == "");
  CHECK(complaint(Graph()) == "");
}

TEST_CASE("verify: rejects a node that reads a later one, or itself") {
  Graph graph = well_formed();
  graph.nodes[1].inputs = {2};
  CHECK(complaint(graph) == "internal error: %1 = exp reads a later node");
  graph.nodes[1].inputs = {1};
  CHECK(complaint(graph) == "internal error: %1 = exp reads a later node");
}

TEST_CASE("verify: rejects a node that reads a result that is not there") {
  Graph graph = well_formed();
  graph.nodes[1].inputs = {{0, 1}};
  CHECK(complaint(graph) == "internal error: %1 = exp reads a missing result");
}

TEST_CASE("verify: rejects results that infer does not give") {
  Graph graph = well_formed();
  graph.nodes[1].results = {{f32, {5}}};
  CHECK(complaint(graph) == "internal error: %1 = exp has a result of another type");
  graph.nodes[1].results = {x4, x4};
  CHECK(complaint(graph) == "internal error: %1 = exp has the wrong number of results");
}

TEST_CASE("verify: rejects inputs that are not listed once each") {
  Graph graph;
  Builder build(graph);
  build.input(x4);
  graph.outputs = {build.neg(build.input(x4))};
  graph.inputs = {1, 0};
  CHECK(complaint(graph) == "");
  graph.inputs = {0};
  CHECK(complaint(graph) == "internal error: %1 = input is not listed as an input");
  graph.inputs = {0, 0};
  CHECK(complaint(graph) == "internal error: %0 is listed as an input");
  graph.inputs = {0, 1, 2};
  CHECK(complaint(graph) == "internal error: %2 is listed as an input");
  graph.inputs = {0, 1, 7};
  CHECK(complaint(graph) == "internal error: %7 is listed as an input");
}

TEST_CASE("verify: rejects outputs that do not exist") {
  Graph graph = well_formed();
  graph.outputs = {3};
  CHECK(complaint(graph) == "internal error: %3.0 is an output and not there");
  graph.outputs = {{2, 1}};
  CHECK(complaint(graph) == "internal error: %2.1 is an output and not there");
  Graph empty;
  empty.outputs = {0};
  CHECK(complaint(empty) == "internal error: %0.0 is an output and not there");
}

TEST_CASE("verify: goes into bodies") {
  Graph graph = well_formed();
  Graph body = well_formed();
  body.outputs = {9};
  graph.nodes[1].bodies = {body};
  CHECK(complaint(graph) == "internal error: %9.0 is an output and not there");
}
