#include <doctest/doctest.h>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/hash.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

// The hash of a graph of inputs of these types whose outputs `write` gives.
template <class Write>
Hash hash_written(Vector<TensorType> types, Write write) {
  Graph graph;
  Builder build(graph);
  Vector<Value> inputs;
  for (const TensorType& type : types) inputs.push_back(build.input(type));
  graph.outputs = write(build, inputs);
  return hash_of(graph);
}

using Values = Vector<Value>;

const TensorType x4{f32, {4}};

}  // namespace

TEST_CASE("hash_of: does not depend on the order of independent nodes, lines or modules") {
  const Hash one = hash_written({x4, x4}, [](Builder& b, Values in) {
    const Value e = b.elementwise(Op::exp, {in[0]}), n = b.neg(in[1]);
    return Values{b.add(e, n)};
  });
  const std::string path = "model";
  const Hash two = hash_written({x4, x4}, [&](Builder& b, Values in) {
    b.at(Where::current(), &path);
    const Value n = b.neg(in[1]), e = b.elementwise(Op::exp, {in[0]});
    return Values{b.add(e, n)};
  });
  CHECK(one == two);
}

TEST_CASE("hash_of: nodes that no output needs do not count") {
  const Hash one = hash_written({x4}, [](Builder& b, Values in) { return Values{b.neg(in[0])}; });
  const Hash two = hash_written({x4}, [](Builder& b, Values in) {
    b.elementwise(Op::exp, {in[0]});
    return Values{b.neg(in[0])};
  });
  CHECK(one == two);
}

TEST_CASE("hash_of: differs where the program differs") {
  const auto same_inputs = [](auto write) { return hash_written({x4, x4}, write); };
  const Vector<Hash> hashes{
      same_inputs([](Builder& b, Values in) { return Values{b.sub(in[0], in[1])}; }),
      same_inputs([](Builder& b, Values in) { return Values{b.sub(in[1], in[0])}; }),
      same_inputs([](Builder& b, Values in) { return Values{b.sub(in[0], in[0])}; }),
      same_inputs([](Builder& b, Values in) { return Values{b.add(in[0], in[1])}; }),
      same_inputs([](Builder& b, Values in) {
        return Values{b.sub(in[0], in[1]), in[0]};
      }),
      same_inputs([](Builder& b, Values in) {
        return Values{in[0], b.sub(in[0], in[1])};
      }),
      same_inputs(
          [](Builder& b, Values in) { return Values{b.add(in[0], b.constant_like(in[0], 1))}; }),
      same_inputs(
          [](Builder& b, Values in) { return Values{b.add(in[0], b.constant_like(in[0], 2))}; }),
      hash_written({x4}, [](Builder& b, Values in) { return Values{b.sub(in[0], in[0])}; }),
      hash_written({{f64, {4}}, {f64, {4}}},
                   [](Builder& b, Values in) { return Values{b.sub(in[0], in[1])}; }),
      hash_written({{f32, {5}}, {f32, {5}}},
                   [](Builder& b, Values in) { return Values{b.sub(in[0], in[1])}; }),
  };
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      INFO(i << " and " << j);
      CHECK_FALSE(hashes[i] == hashes[j]);
    }
  }
}

TEST_CASE("hash_of: symbols count by their first appearance in the inputs, not by their id") {
  const auto write = [](std::uint32_t first, std::uint32_t second, SymbolInfo known) {
    const Extent n = Extent::symbol(first, known), m = Extent::symbol(second);
    return hash_written({{f32, {n, m}}}, [](Builder& b, Values in) {
      return Values{b.reduce(Op::sum, in[0], {1})};
    });
  };
  CHECK(write(10, 11, {}) == write(25, 12, {}));
  CHECK_FALSE(write(10, 11, {}) == write(10, 10, {}));
  CHECK_FALSE(write(30, 31, {}) == write(32, 31, {.min = 2}));
}

TEST_CASE("hash_with_symbols: tells graphs that read other symbols apart") {
  const auto write = [](std::uint32_t first, std::uint32_t second) {
    Graph graph;
    Builder b(graph);
    graph.outputs = {b.input({f32, {Extent::symbol(first), Extent::symbol(second)}})};
    return graph;
  };
  CHECK(hash_of(write(0, 1)) == hash_of(write(1, 0)));
  CHECK(hash_with_symbols(write(0, 1)) == hash_with_symbols(write(0, 1)));
  CHECK_FALSE(hash_with_symbols(write(0, 1)) == hash_with_symbols(write(1, 0)));
}

TEST_CASE("hash_of: bodies count") {
  const auto with_body = [](Op op) {
    Graph body;
    Builder build(body);
    body.outputs = {build.elementwise(op, {build.input(x4)})};
    Graph graph;
    graph.outputs = {graph.append({.op = Op::constant, .results = {x4}, .bodies = {body}})};
    return hash_of(graph);
  };
  CHECK(with_body(Op::exp) == with_body(Op::exp));
  CHECK_FALSE(with_body(Op::exp) == with_body(Op::log));
}

TEST_CASE("hash: counts whether products may be rounded") {
  Graph graph;
  const Hash exact = hash_of(graph);
  graph.tf32 = true;
  CHECK_FALSE(hash_of(graph) == exact);
}

TEST_CASE("hash_node: counts operation, inputs, attributes and results") {
  Numbering numbering;
  const Vector<Hash> inputs{{1, 2}, {3, 4}}, swapped{{3, 4}, {1, 2}};
  const Node sum{
      .op = Op::sum, .attributes = {{"axes", std::vector<std::int64_t>{0}}}, .results = {x4}};
  Node other = sum;
  const Hash hash = hash_node(sum, inputs, numbering);
  CHECK(hash_node(other, inputs, numbering) == hash);
  CHECK_FALSE(hash_node(other, swapped, numbering) == hash);
  other.attributes = {{"axes", std::vector<std::int64_t>{1}}};
  CHECK_FALSE(hash_node(other, inputs, numbering) == hash);
  other.attributes = {{"axis", std::vector<std::int64_t>{0}}};
  CHECK_FALSE(hash_node(other, inputs, numbering) == hash);
  other = sum;
  other.op = Op::prod;
  CHECK_FALSE(hash_node(other, inputs, numbering) == hash);
  other = sum;
  other.results = {x4, x4};
  CHECK_FALSE(hash_node(other, inputs, numbering) == hash);
}
