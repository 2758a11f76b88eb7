#include <doctest/doctest.h>
#include <sinter/graph/control.hpp>
#include <sinter/graph/hash.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/graph/rewrite.hpp>
#include <sinter/graph/verify.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

constexpr Rule drop_double_neg{
    "-(-x) -> x", [](Builder& build, const Node& node) -> Vector<Value> {
      if (node.op != Op::neg || build.graph()[node.inputs[0].node].op != Op::neg) return {};
      return {build.graph()[node.inputs[0].node].inputs[0]};
    }};

constexpr Rule square_as_pow{"x * x -> pow(x, 2)",
                             [](Builder& build, const Node& node) -> Vector<Value> {
                               if (node.op != Op::mul || !(node.inputs[0] == node.inputs[1]))
                                 return {};
                               const Value x = node.inputs[0];
                               return {build.elementwise(Op::pow, {x, build.constant_like(x, 2)})};
                             }};

// x -> -(-x) * -(-x), with a node that nothing needs and an input that is not read
Graph example() {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {4}});
  build.input({f32, {2}});
  build.elementwise(Op::exp, {x});
  const Value y = build.neg(build.neg(x));
  graph.outputs = {build.mul(y, y)};
  return graph;
}

}  // namespace

TEST_CASE("rewrite: without rules, copies what outputs need, and all inputs") {
  const Graph copy = rewrite(example(), {});
  verify(copy);
  CHECK(to_string(copy) ==
        "%0: f32[4] = input\n"
        "%1: f32[2] = input\n"
        "%2: f32[4] = neg %0\n"
        "%3: f32[4] = neg %2\n"
        "%4: f32[4] = mul %3 %3\n"
        "return %4\n");
  CHECK(copy.inputs == Vector<NodeId>{0, 1});
}

TEST_CASE("rewrite: the first rule that applies replaces a node, and later nodes see it") {
  const Rule rules[]{drop_double_neg, square_as_pow};
  const Graph result = rewrite(example(), rules);
  verify(result);
  CHECK(to_string(rewrite(result, {})) ==
        "%0: f32[4] = input\n"
        "%1: f32[2] = input\n"
        "%2: f32[4] = constant value=2\n"
        "%3: f32[4] = pow %0 %2\n"
        "return %3\n");
}

TEST_CASE("rewrite: shares nodes that become equal") {
  Graph graph;
  const TensorType type{f32, {4}};
  const NodeId x = graph.append({.op = Op::input, .results = {type}});
  const NodeId y = graph.append({.op = Op::exp, .inputs = {x}, .results = {type}});
  const NodeId z = graph.append({.op = Op::exp, .inputs = {x}, .results = {type}});
  graph.outputs = {graph.append({.op = Op::add, .inputs = {y, z}, .results = {type}})};
  CHECK(to_string(rewrite(graph, {})) ==
        "%0: f32[4] = input\n"
        "%1: f32[4] = exp %0\n"
        "%2: f32[4] = add %1 %1\n"
        "return %2\n");
}

TEST_CASE("rewrite: nodes of a graph that is given away are moved") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {2, 3}});
  graph.outputs = {build.permute(x, {1, 0})};
  const std::int64_t* const axes = numbers(graph[graph.outputs[0].node], "axes").data();
  const Graph result = rewrite(std::move(graph), {});
  CHECK(numbers(result[result.outputs[0].node], "axes").data() == axes);
}

TEST_CASE("rewrite: goes into bodies") {
  Graph graph;
  graph.outputs = {graph.append({.op = Op::constant,
                                 .attributes = {{"value", constant(0.0)}},
                                 .results = {{f64, {}}},
                                 .bodies = {example()}})};
  const Rule rules[]{drop_double_neg};
  const Graph result = rewrite(graph, rules);
  CHECK(to_string(rewrite(result, {})) ==
        "%0: f64[] = constant value=0\n"
        "  %0: f32[4] = input\n"
        "  %1: f32[2] = input\n"
        "  %2: f32[4] = mul %0 %0\n"
        "  return %2\n"
        "return %0\n");
}

TEST_CASE("rewrite: keeps the line and the module of what it copies and of what it replaces") {
  Graph graph;
  const std::string path = "head";
  Builder build(graph);
  const Value x = build.input({f32, {4}});
  build.at(Where::current(), &path);
  const auto line = Where::current().line() - 1;
  graph.outputs = {build.mul(x, x)};
  const Rule rules[]{square_as_pow};
  const Graph result = rewrite(graph, rules);
  const Node& pow = result[result.outputs[0].node];
  CHECK(pow.op == Op::pow);
  CHECK(pow.where.line() == line);
  CHECK(*pow.path == "head");
}

TEST_CASE("map_extents: replaces extents of results, attributes and bodies") {
  const Extent n = Extent::symbol(0);
  Graph body;
  body.append({.op = Op::input, .results = {{f32, {n}}}});
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {n}});
  graph.outputs = {build.pad(x, {n}, {1}, constant(0))};
  graph.nodes[0].bodies = {body};
  const Graph fixed =
      map_extents(graph, [&](Extent extent) { return same(extent, n) ? Extent(5) : extent; });
  CHECK(to_string(fixed) ==
        "%0: f32[5] = input\n"
        "  %0: f32[5] = input\n"
        "  return\n"
        "%1: f32[2*s0 + 1] = pad %0 low=[5] high=[1] value=0\n"
        "return %1\n");
}

TEST_CASE("rewrite_nodes: asks for each node that is needed, by its number in the graph") {
  Vector<NodeId> asked;
  const Graph graph = rewrite_nodes(example(), [&](Builder& build, const Node& node, NodeId id) {
    asked.push_back(id);
    return id == 4 ? Vector<Value>{build.elementwise(Op::exp, {node.inputs[0]})} : Vector<Value>();
  });
  verify(graph);
  CHECK(asked == Vector<NodeId>{0, 1, 3, 4, 5});
  CHECK(to_string(graph) ==
        "%0: f32[4] = input\n"
        "%1: f32[2] = input\n"
        "%2: f32[4] = neg %0\n"
        "%3: f32[4] = exp %2\n"
        "%4: f32[4] = mul %3 %3\n"
        "return %4\n");
}

namespace {

// A node that calls a function of the host with `x`.
Node told(Value x, bool has_side_effects) {
  CustomCode code{.name = "test::told", .has_side_effects = has_side_effects};
  return {.op = Op::custom,
          .inputs = {x},
          .attributes = {{"code", make_shared_ptr<const CustomCode>(std::move(code))},
                         {"operands", constant(std::int64_t{1})}},
          .results = {{boolean, {}}}};
}

// x -> cond(p, branch that tells -x and gives x, x)
Graph branching(bool has_side_effects, bool tells = true) {
  Graph then, otherwise, graph;
  Builder first(then), second(otherwise), build(graph);
  const Value inner = first.input({f32, {4}});
  if (tells) first.append(told(first.neg(inner), has_side_effects));
  then.outputs = {first.elementwise(Op::exp, {inner})};
  otherwise.outputs = {second.input({f32, {4}})};
  const Value p = build.input({boolean, {}}), x = build.input({f32, {4}});
  build.append(Node{.op = Op::cond, .inputs = {p, x}, .bodies = {then, otherwise}});
  graph.outputs = {build.neg(x)};
  return graph;
}

}  // namespace

TEST_CASE("rewrite: what has side effects stays, in branches and their owners too") {
  CHECK(rewrite(branching(false), {}).nodes.size() == 3);
  const Graph kept = rewrite(branching(true), {});
  verify(kept);
  REQUIRE(kept.nodes.size() == 4);
  CHECK(has_side_effects(kept[2]));
  CHECK(kept[2].bodies[0].nodes.size() == 4);
}

TEST_CASE("rewrite: without_side_effects keeps what outputs need") {
  const Graph bare = without_side_effects(branching(true));
  verify(bare);
  CHECK(to_string(bare) == to_string(rewrite(branching(false), {})));
  Graph read = branching(true);
  read.outputs = {Value(2)};
  const Graph without = without_side_effects(read);
  verify(without);
  REQUIRE(without.nodes.size() == 3);
  CHECK_FALSE(has_side_effects(without[2]));
  CHECK(without[2].bodies[0].nodes.size() == 2);
}

TEST_CASE("rewrite: hashes tell graphs apart by side effects that give no output") {
  Graph telling = branching(true), silent = branching(true, false);
  telling.outputs = silent.outputs = {Value(2)};
  CHECK_FALSE(hash_of(telling) == hash_of(silent));
  CHECK(hash_of(without_side_effects(telling)) == hash_of(silent));
}
