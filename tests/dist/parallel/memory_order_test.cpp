// Where the collectives of a sharded model are put in a graph.

#include <doctest/doctest.h>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/graph/verify.hpp>

#include <sinter/dist/collective/rules.hpp>
#include <sinter/dist/parallel/memory_order.hpp>

using namespace sinter;
using namespace sinter::detail;
using collective::Kind;

namespace {

// Two layers h = x * w, whose parameters are gathered first and gradients reduced last, as a
// training step is recorded.
struct Program {
  Graph graph{};
  Builder build{graph};

  Value collective(Kind kind, Value x, std::int64_t size, bool is_of_parameter = true) {
    Node node = collective::node_of(
        {.kind = kind, .is_of_parameter = is_of_parameter, .where = Where::current()},
        {f32, {size}});
    node.inputs = {x};
    return build.append(std::move(node));
  }
  Value whole(Value part, bool is_of_parameter = true) {
    const Value row = collective(Kind::all_gather, part, 16, is_of_parameter);
    return build.reshape(row, {4, 4});
  }
  Value part_of(Value gradient) {
    return collective(Kind::reduce_scatter, build.reshape(gradient, {16}), 4);
  }
};

// The operations of a graph, a letter each: gather, scatter, commit, multiply, add, negate, index.
std::string letters(const Graph& graph) {
  std::string result;
  for (const Node& node : graph.nodes) {
    const auto* const found = collective::collective_of(node);
    if (found != nullptr) {
      result += found->kind == Kind::all_gather ? 'g' : found->kind == Kind::commit ? 'c' : 's';
    }
    if (node.op == Op::gather) result += 'i';
    if (node.op == Op::mul) result += 'm';
    if (node.op == Op::add) result += 'a';
    if (node.op == Op::neg) result += 'n';
  }
  return result;
}

}  // namespace

TEST_CASE(
    "memory order: gathered where they are read, again behind; reduced where they are computed") {
  Program p;
  const Value x = p.build.input({f32, {4, 4}});
  const Value a = p.build.input({f32, {4}}), b = p.build.input({f32, {4}});
  const Value w = p.whole(a), v = p.whole(b);
  const Value h = p.build.mul(x, w), y = p.build.mul(h, v);  // forward
  const Value dv = p.build.neg(h), dh = p.build.mul(p.build.neg(y), v);
  const Value dw = p.build.add(dh, x), dx = p.build.mul(dh, w);
  const Value last = p.part_of(dv), first = p.part_of(dw);
  p.graph.outputs = {dx, first, last};
  CHECK(letters(p.graph) == "ggmmnnmamss");
  const Graph ordered = parallel::order_for_memory(p.graph);
  verify(ordered);
  CHECK(letters(ordered) == "gmnsgmngmasgm");
  CHECK(ordered.inputs.size() == 3);
  CHECK(letters(parallel::order_for_memory(ordered)) == letters(ordered));
}

TEST_CASE("memory order: readers that do not depend on each other share what is gathered") {
  Program p;
  const Value x = p.build.input({f32, {4, 4}}), a = p.build.input({f32, {4}});
  const Value w = p.whole(a), unmoved = p.whole(a, false);
  const Value one = p.build.mul(x, w), other = p.build.neg(w);
  p.graph.outputs = {p.build.add(one, other), unmoved};
  CHECK(letters(parallel::order_for_memory(p.graph)) == "ggmna");
}

TEST_CASE("memory order: small parameters are gathered once") {
  Program p;
  const Value x = p.build.input({f32, {64, 64}});
  const Value a = p.build.input({f32, {1024}}), b = p.build.input({f32, {16}});
  const Value w = p.build.reshape(p.collective(Kind::all_gather, a, 4096), {64, 64});
  const Value row = p.build.reshape(p.collective(Kind::all_gather, b, 64), {1, 64});
  const Value bias = p.build.expand(row, {64, 64});
  const Value h = p.build.add(p.build.mul(x, w), bias);
  p.graph.outputs = {p.build.mul(p.build.add(h, bias), w)};
  CHECK(letters(p.graph) == "ggmaam");
  CHECK(letters(parallel::order_for_memory(p.graph)) == "ggmaagm");
}

TEST_CASE("memory order: new parameters are gathered last, behind all that can fail") {
  Program p;
  const Value x = p.build.input({f32, {4, 4}}), a = p.build.input({f32, {4}});
  const Value state = p.build.input({f32, {4}}), rows = p.build.input({i64, {2}});
  const Value gradient = p.build.neg(x), part = p.part_of(gradient);
  const Value next = p.build.add(state, part), updated = p.build.mul(a, next);
  const Value whole = p.whole(updated), later = p.build.mul(whole, whole);
  const Value picked = p.build.gather(x, rows, 0);
  p.graph.outputs = {next, whole, picked, p.build.gather(later, rows, 0)};
  CHECK(letters(p.graph) == "nsamgmii");
  const Graph ordered = parallel::order_for_memory(p.graph);
  verify(ordered);
  CHECK(letters(ordered) == "nsicamgmig");
}

TEST_CASE("memory order: other graphs stay as they are") {
  Program p;
  const Value x = p.build.input({f32, {16}});
  p.graph.outputs = {p.collective(Kind::all_gather, p.build.neg(x), 64, false)};
  CHECK(to_string(parallel::order_for_memory(p.graph)) == to_string(p.graph));
}
