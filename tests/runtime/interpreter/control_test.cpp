// test: moved
#include <doctest/doctest.h>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/control.hpp>
#include <sinter/graph/verify.hpp>
#include <sinter/runtime/interpreter/control.hpp>
#include <sinter/runtime/interpreter/interpret.hpp>

#include <cstring>

#include "gpu_graphs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace runtime;

namespace {

using Floats = std::vector<float>;

template <class T>
Storage memory_of(const std::vector<T>& elements) {
  Storage result = Storage::allocate(elements.size() * sizeof(T));
  if (!elements.empty()) std::memcpy(result.data(), elements.data(), result.bytes());
  return result;
}

// The result of the interpreter, noted for the GPU.
Vector<Storage> run(const Graph& graph, const Vector<Storage>& inputs,
                    const std::vector<std::int64_t>& sizes = {}) {
  const Vector<Storage> result = interpret(graph, inputs, sizes);
  gpu_graphs::note(graph, inputs, sizes, result);
  return result;
}

Storage truth(bool value) { return memory_of(std::vector<std::uint8_t>{value}); }

Floats floats_in(const Storage& memory) {
  Floats result(memory.bytes() / sizeof(float));
  if (!result.empty()) std::memcpy(result.data(), memory.data(), memory.bytes());
  return result;
}

// Element 7 of x, which has fewer, in one branch; x + x in the other.
Graph faulty_branch() {
  const auto branch = [](bool faulty) {
    Graph graph;
    Builder body(graph);
    const Value x = body.input({f32, {2}});
    const Value index = body.constant(constant(7), {i64, {2}});
    graph.outputs = {faulty ? body.gather(x, index, 0) : body.add(x, x)};
    return graph;
  };
  Graph graph;
  Builder build(graph);
  const Value holds = build.input({boolean, {}}), x = build.input({f32, {2}});
  graph.outputs = {build.append(
      {.op = Op::cond, .inputs = {holds, x}, .bodies = {branch(true), branch(false)}})};
  return graph;
}

// carry = carry * 2 + x, in f32; gives carry before and x after.
Graph doubling(Extent length, bool reverse) {
  Graph body;
  Builder step(body);
  const Value carry = step.input({f32, {}}), x = step.input({f32, {}});
  body.outputs = {step.add(step.add(carry, carry), x), carry, x};
  Graph graph;
  Builder build(graph);
  const Value first = build.input({f32, {}}), xs = build.input({f32, {length}});
  const NodeId id = build.append({.op = Op::scan,
                                  .inputs = {first, xs},
                                  .attributes = {{"carries", constant(1)},
                                                 {"xs", constant(1)},
                                                 {"reverse", constant(reverse ? 1 : 0)}},
                                  .bodies = {body}});
  graph.outputs = {{id, 0}, {id, 1}, {id, 2}};
  verify(graph);
  return graph;
}

}  // namespace

TEST_CASE("interpreter_control: only the branch that is taken runs") {
  const Graph graph = faulty_branch();
  const Storage x = memory_of(Floats{1, 2});
  const Vector<Storage> taken{truth(false), x}, faulty{truth(true), x};
  CHECK(floats_in(run(graph, taken)[0]) == Floats{2, 4});
  CHECK_THROWS_AS(interpret(graph, faulty), IndexError);
}

TEST_CASE("interpreter_control: a scan agrees with a loop, forwards and backwards, of any length") {
  const Extent n = Extent::symbol(0);
  const Vector<Storage> inputs{memory_of(Floats{1}), memory_of(Floats{10, 20, 30})};
  const std::vector<std::int64_t> three{3}, none{0};
  const auto forwards = run(doubling(n, false), inputs, three);
  CHECK(floats_in(forwards[0]) == Floats{118});
  CHECK(floats_in(forwards[1]) == Floats{1, 12, 44});
  CHECK(floats_in(forwards[2]) == Floats{10, 20, 30});
  const auto backwards = run(doubling(n, true), inputs, three);
  CHECK(floats_in(backwards[0]) == Floats{((1 * 2 + 30) * 2 + 20) * 2 + 10});
  CHECK(floats_in(backwards[1]) == Floats{84, 32, 1});
  const Vector<Storage> empty{memory_of(Floats{1}), memory_of(Floats{})};
  const auto nothing = run(doubling(n, false), empty, none);
  CHECK(floats_in(nothing[0]) == Floats{1});
  CHECK(nothing[1].bytes() == 0);
}

TEST_CASE("interpreter_control: a while_loop runs until its predicate fails") {
  const TensorType number{f32, {}};
  Graph below, body;
  Builder predicate(below), step(body);
  const Value x = predicate.input(number), limit = predicate.input(number);
  below.outputs = {predicate.elementwise(Op::lt, {x, limit})};
  const Value y = step.input(number);
  step.input(number);
  body.outputs = {step.add(y, y)};
  Graph graph;
  Builder build(graph);
  const Value first = build.input(number), most = build.input(number);
  graph.outputs = {build.append({.op = Op::while_loop,
                                 .inputs = {first, most},
                                 .attributes = {{"states", constant(1)}},
                                 .bodies = {below, body}})};
  verify(graph);
  const auto last = [&](float from, float to) {
    const Vector<Storage> inputs{memory_of(Floats{from}), memory_of(Floats{to})};
    return floats_in(run(graph, inputs)[0])[0];
  };
  CHECK(last(1, 100) == 128);
  CHECK(last(3, 2) == 3);
}

TEST_CASE("interpreter_control: elements in memory of their own") {
  const Storage memory = memory_of(Floats{1, 2, 3, 4});
  const interpreter::Array all{f32, {4}, {1}, 0, memory}, part{f32, {2}, {2}, 1, memory};
  CHECK(interpreter::storage_of(all, {}).data() == memory.data());
  CHECK(floats_in(interpreter::storage_of(part, {})) == Floats{2, 4});
}

TEST_CASE("call: returns the results of its body, and runs no gradient") {
  Graph body, other;
  Builder inner(body), unused(other);
  const Value a = inner.input({f32, {2}}), b = inner.input({f32, {2}});
  body.outputs = {inner.mul(a, b), inner.add(a, b)};
  for (int i = 0; i < 6; ++i) unused.input({f32, {2}});
  const Value index = unused.constant(constant(7), {i64, {2}});
  const Value faulty = unused.gather({other.inputs[0], 0}, index, 0);
  other.outputs = {faulty, faulty};
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {2}}), y = build.input({f32, {2}});
  const NodeId id = build.append({.op = Op::call, .inputs = {x, y}, .bodies = {body, other}});
  graph.outputs = {{id, 0}, {id, 1}};
  verify(graph);
  const Vector<Storage> inputs{memory_of(Floats{2, 3}), memory_of(Floats{4, 5})};
  const auto results = run(graph, inputs);
  CHECK(floats_in(results[0]) == Floats{8, 15});
  CHECK(floats_in(results[1]) == Floats{6, 8});
}
