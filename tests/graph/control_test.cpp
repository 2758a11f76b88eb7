#include <doctest/doctest.h>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/control.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/graph/rewrite.hpp>
#include <sinter/graph/verify.hpp>

#include <string>

using namespace sinter;
using namespace sinter::detail;

namespace {

const Extent n = Extent::symbol(0), m = Extent::symbol(1);

// x + x, or with another type of its result, x + x of some of it.
Graph twice(TensorType type) {
  Graph graph;
  Builder body(graph);
  const Value x = body.input(type);
  graph.outputs = {body.add(x, x)};
  return graph;
}

// carry + x; {that, x}
Graph step(TensorType type) {
  Graph graph;
  Builder body(graph);
  const Value carry = body.input(type), x = body.input(type);
  graph.outputs = {body.add(carry, x), x};
  return graph;
}

Node cond(SmallVector<Value, 3> inputs, Graph first, Graph second) {
  return {
      .op = Op::cond, .inputs = std::move(inputs), .bodies = {std::move(first), std::move(second)}};
}

Node scan(SmallVector<Value, 3> inputs, Graph body) {
  return {.op = Op::scan,
          .inputs = std::move(inputs),
          .attributes = {{"carries", constant(1)}, {"xs", constant(1)}, {"reverse", constant(0)}},
          .bodies = {std::move(body)}};
}

// What is wrong with a cond of `types`.
std::string mistake(Vector<TensorType> types, Graph first, Graph second) {
  return control_mistake(cond({}, std::move(first), std::move(second)), types);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("control: the results of a cond are those of its branches, with the symbols around it") {
  Graph graph;
  Builder build(graph);
  const Value holds = build.input({boolean, {}}), x = build.input({f32, {n, 2}});
  graph.outputs = {build.append(cond({holds, x}, twice({f32, {n, 2}}), twice({f32, {n, 2}})))};
  verify(graph);
  CHECK(to_string(graph) ==
        "%0: bool[] = input\n"
        "%1: f32[s0, 2] = input\n"
        "%2: f32[s0, 2] = cond %0 %1\n"
        "  %0: f32[s0, 2] = input\n"
        "  %1: f32[s0, 2] = add %0 %0\n"
        "  return %1\n"
        "  %0: f32[s0, 2] = input\n"
        "  %1: f32[s0, 2] = add %0 %0\n"
        "  return %1\n"
        "return %2\n");
}

TEST_CASE("control: a scan gives the carry, and stacks what its steps give") {
  Graph graph;
  Builder build(graph);
  const Value carry = build.input({f32, {3}}), xs = build.input({f32, {n, 3}});
  const NodeId id = build.append(scan({carry, xs}, step({f32, {3}})));
  graph.outputs = {{id, 0}, {id, 1}};
  verify(graph);
  CHECK(to_string(graph.type({id, 0})) == "f32[3]");
  CHECK(to_string(graph.type({id, 1})) == "f32[s0, 3]");
  const TensorType types[]{{f32, {3}}, {f32, {n, 3}}};
  CHECK(same(scan_length(graph[id], types), n));
  CHECK(to_string(step_type({f32, {n, 3}})) == "f32[3]");
  CHECK(to_string(stacked_type({f32, {3}}, n)) == "f32[s0, 3]");
}

TEST_CASE("control: says what is wrong with a cond") {
  const TensorType holds{boolean, {}}, x{f32, {4}};
  CHECK(mistake({holds, x}, twice(x), twice(x)).empty());
  CHECK(contains(mistake({{f32, {}}, x}, twice(x), twice(x)), "the predicate is f32[]"));
  CHECK(contains(mistake({holds, {f64, {4}}}, twice(x), twice(x)), "input 0 of body 0 is f32[4]"));
  CHECK(contains(mistake({holds, x, x}, twice(x), twice(x)), "body 0 takes 1 inputs and gets 2"));
  CHECK(contains(mistake({holds, x}, twice(x), step(x)), "body 1 takes 2 inputs"));
  CHECK(contains(mistake({}, twice(x), twice(x)), "a predicate"));
}

TEST_CASE("control: a loop must give the state that it takes") {
  const TensorType x{f32, {4}};
  Graph never;
  Builder body(never);
  body.input(x);
  never.outputs = {body.constant(constant(false), {boolean, {}})};
  Node loop{
      .op = Op::while_loop, .attributes = {{"states", constant(1)}}, .bodies = {never, twice(x)}};
  const TensorType types[]{x};
  CHECK(control_mistake(loop, types).empty());
  loop.bodies[1].outputs = {loop.bodies[1].outputs[0], loop.bodies[1].outputs[0]};
  CHECK(contains(control_mistake(loop, types), "gives the state"));
  loop.bodies[0].outputs.clear();
  CHECK(contains(control_mistake(loop, types), "gives the predicate"));
}

TEST_CASE("control: verify looks into bodies") {
  Graph graph;
  Builder build(graph);
  const Value carry = build.input({f32, {3}}), xs = build.input({f32, {n, 3}});
  const NodeId id = build.append(scan({carry, xs}, step({f32, {3}})));
  graph.outputs = {{id, 1}};
  verify(graph);
  graph.nodes[id].bodies[0].nodes[2].results[0].dtype = f64;
  CHECK_THROWS_AS(verify(graph), InternalError);
}

TEST_CASE("control: the hash of a node tells which symbol of the graph a body uses") {
  const auto hash = [](Extent size) {
    Graph graph;
    Builder build(graph);
    const Value holds = build.input({boolean, {}}), x = build.input({f32, {n, m}});
    Graph body;
    Builder inner(body);
    inner.input({f32, {n, m}});
    body.outputs = {inner.reduce(Op::sum, inner.iota({f32, {size}}, 0), {0})};
    graph.outputs = {build.append(cond({holds, x}, body, body))};
    return hash_of(graph);
  };
  CHECK(hash(n) == hash(n));
  CHECK(hash(n) != hash(m));
}

TEST_CASE("control: rewriting and replacing sizes reach into bodies, inputs in their order") {
  Graph body = step({f32, {n}});
  std::swap(body.inputs[0], body.inputs[1]);
  Graph graph;
  Builder build(graph);
  const Value carry = build.input({f32, {n}}), xs = build.input({f32, {m, n}});
  const NodeId id = build.append(scan({carry, xs}, body));
  graph.outputs = {{id, 0}};
  const Graph fixed = map_extents(
      rewrite(graph, {}), [](Extent extent) { return same(extent, n) ? Extent(3) : extent; });
  verify(fixed);
  CHECK(fixed[id].bodies[0].inputs == Vector<NodeId>{1, 0});
  CHECK(to_string(fixed[id].bodies[0].type(0)) == "f32[3]");
  CHECK(to_string(fixed.type({id, 1})) == "f32[s1, 3]");
}

TEST_CASE("control: a body is inlined with operands in the place of its inputs") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {3}}), y = build.input({f32, {3}});
  const Vector<Value> operands{x, y};
  graph.outputs = build.inlined(step({f32, {3}}), operands);
  verify(graph);
  CHECK(to_string(graph) ==
        "%0: f32[3] = input\n"
        "%1: f32[3] = input\n"
        "%2: f32[3] = add %0 %1\n"
        "return %2 %1\n");
}

TEST_CASE("control: a detached value is a cast that says so") {
  const TensorType type{f32, {3}};
  CHECK(is_detached(detached(0, type)));
  CHECK_FALSE(is_detached({.op = Op::cast, .inputs = {Value(0)}, .results = {type}}));
}
