// test: moved
#include <sinter/autodiff/batching/control_rules.hpp>
#include <sinter/autodiff/gradient/gradient.hpp>

#include <set>

#include "batches.hpp"
#include "callees.hpp"

using namespace batches;

namespace {

// {x * y, sin(x)} or {x + y, y}, whose elements depend on other operands.
Graph branch(Extent n, bool first) {
  Graph graph;
  Builder body(graph);
  const Value x = body.input({f32, {n}}), y = body.input({f32, {n}});
  if (first) {
    graph.outputs = {body.mul(x, y), body.elementwise(Op::sin, {x})};
  } else {
    graph.outputs = {body.add(x, y), y};
  }
  return graph;
}

Vector<Value> results(Builder& build, Node node, std::uint32_t count) {
  const NodeId id = build.append(std::move(node));
  Vector<Value> result;
  for (std::uint32_t i = 0; i < count; ++i) result.push_back({id, i});
  return result;
}

// x[at], or x[0] * 2.
Value element_or_other(Sample& s, Value holds, Value x, Value at) {
  Graph bodies[2];
  for (Graph& body : bodies) {
    Builder build(body);
    const Value from = build.input({f32, {3}}), index = build.input({i64, {}});
    const Value first = build.gather(from, build.constant_like(index, 0), 0);
    body.outputs = {&body == bodies ? build.gather(from, index, 0) : build.add(first, first)};
  }
  return s.builder.append(
      {.op = Op::cond, .inputs = {holds, x, at}, .bodies = {bodies[0], bodies[1]}});
}

// x * y; the gradient of x is said to be 5 for each element, that of y 7.
Node product(Value x, Value y, Extent n) {
  Graph forward, backward;
  Builder body(forward), back(backward);
  const Value a = body.input({f32, {n}}), b = body.input({f32, {n}});
  forward.outputs = {body.mul(a, b)};
  for (int i = 0; i < 3; ++i) back.input({f32, {n}});
  const Value g = back.input({f32, {n}});
  backward.outputs = {back.mul(g, back.constant_like(g, 5)), back.mul(g, back.constant_like(g, 7))};
  return {.op = Op::call, .inputs = {x, y}, .bodies = {forward, backward}};
}

std::vector<std::int32_t> draws(const Graph& graph, const Vector<Storage>& inputs) {
  const Storage bits = runtime::interpret(graph, inputs)[0];
  const auto* const from = static_cast<const std::int32_t*>(bits.data());
  return {from, from + bits.bytes() / 4};
}

Value draw(Builder& build, Value seed, Value offset, Shape shape) {
  return build.append({.op = Op::random_bits,
                       .inputs = {seed, offset},
                       .attributes = {{"number", constant(3)}},
                       .results = {{i32, shape}}});
}

}  // namespace

TEST_CASE("batch_control_rules: a cond is that of each sample") {
  check([](Sample& s) -> Vector<Value> {
    const Extent n = s.size(3);
    const Value holds = s.truth(), x = s.x({n}), y = s.x({n});
    return results(
        s.builder,
        {.op = Op::cond, .inputs = {holds, x, y}, .bodies = {branch(n, true), branch(n, false)}},
        2);
  });
}

TEST_CASE("batch_control_rules: both branches read, write and divide for their own samples") {
  check([](Sample& s) -> Vector<Value> {
    Graph bodies[2];
    for (Graph& body : bodies) {
      Builder build(body);
      const Value x = build.input({f32, {3}}), at = build.input({i64, {2}});
      const Value y = build.input({f32, {2}}), divisor = build.input({i64, {}});
      const Value numbers = build.input({i64, {}});
      if (&body == bodies) {
        body.outputs = {build.gather(x, at, 0),
                        build.elementwise(Op::floor_divide, {numbers, divisor})};
      } else {
        const Value sums = build.scatter_add(x, at, y, 0);
        body.outputs = {build.slice(sums, {1}, {1}, {2}), build.neg(numbers)};
      }
    }
    const Value holds = s.truth(), x = s.x({3}), at = s.indices({2}, 3);
    const Value y = s.x({2}), divisor = s.input(i64, {}, {1, 4}), number = s.input(i64, {}, {0, 9});
    return results(s.builder,
                   {.op = Op::cond,
                    .inputs = {holds, x, at, y, divisor, number},
                    .bodies = {bodies[0], bodies[1]}},
                   2);
  });
}

TEST_CASE("batch_control_rules: a division by zero counts where its branch is taken") {
  Sample s;
  Graph divides, other;
  Builder first(divides), second(other);
  const Value x = first.input({i64, {}}), y = first.input({i64, {}});
  divides.outputs = {first.elementwise(Op::remainder, {x, y})};
  other.outputs = {second.input({i64, {}})}, second.input({i64, {}});
  const Value holds = s.truth(), a = s.input(i64, {}), b = s.input(i64, {});
  s.graph.outputs = {
      s.builder.append({.op = Op::cond, .inputs = {holds, a, b}, .bodies = {divides, other}})};
  const SampleBatch batch(s, {true, false, false}, 2);  // both are the same for all samples
  for (const bool taken : {false, true}) {
    const Vector<Storage> inputs{Storage::allocate(2), Storage::allocate(8), Storage::allocate(8)};
    std::memset(inputs[0].data(), taken ? 1 : 0, 2);
    *static_cast<std::int64_t*>(inputs[1].data()) = 5;
    *static_cast<std::int64_t*>(inputs[2].data()) = 0;
    if (taken) {
      CHECK_THROWS_AS(runtime::interpret(batch.graph, inputs), ValueError);
    } else {
      const Storage found = runtime::interpret(batch.graph, inputs)[0];
      CHECK(static_cast<const std::int64_t*>(found.data())[1] == 5);
    }
  }
}

TEST_CASE("batch_control_rules: a cond whose predicate is the same for all samples stays one") {
  Sample sample;
  const Value holds = sample.truth();
  const Value x = sample.x({3}), y = sample.x({3});
  sample.graph.outputs = results(
      sample.builder,
      {.op = Op::cond, .inputs = {holds, x, y}, .bodies = {branch(3, true), branch(3, false)}}, 2);
  int stays = 0, selects = 0;
  for (const Node& node : SampleBatch(sample, {false, true, true}, 2).graph.nodes) {
    stays += node.op == Op::cond;
  }
  for (const Node& node : SampleBatch(sample, {true, true, true}, 2).graph.nodes) {
    selects += node.op == Op::select;
  }
  CHECK(stays == 1);
  CHECK(selects == 2);
}

TEST_CASE("batch_control_rules: an index is out of range where its branch is taken") {
  for (const bool outer : {false, true}) {  // a branch in a branch
    Sample s;
    const Value holds = s.truth(), x = s.x({3}), at = s.indices({}, 3);
    s.graph.outputs = {element_or_other(s, holds, x, at)};
    Graph inner = s.graph, other;
    Builder build(other);
    build.input({boolean, {}});
    const Value y = build.input({f32, {3}}), index = build.input({i64, {}});
    other.outputs = {build.gather(y, build.constant_like(index, 1), 0)};
    Sample nested;
    const Value first = nested.truth(), second = nested.truth();
    const Value z = nested.x({3}), place = nested.indices({}, 3);
    nested.graph.outputs = {nested.builder.append(
        {.op = Op::cond, .inputs = {first, second, z, place}, .bodies = {inner, other}})};
    const SampleBatch batch = outer ? SampleBatch(nested, {false, true, true, true}, 2)
                                    : SampleBatch(s, {true, true, true}, 2);
    const auto run = [&](bool taken) {
      Storage yes = Storage::allocate(1), both = Storage::allocate(2), x6 = Storage::allocate(24),
              places = Storage::allocate(16);
      *static_cast<bool*>(yes.data()) = true;
      static_cast<bool*>(both.data())[0] = true, static_cast<bool*>(both.data())[1] = taken;
      for (int i = 0; i < 6; ++i) static_cast<float*>(x6.data())[i] = static_cast<float>(i);
      static_cast<std::int64_t*>(places.data())[0] = 2;
      static_cast<std::int64_t*>(places.data())[1] = 7;
      Vector<Storage> inputs{both, x6, places};
      if (outer) inputs.insert(inputs.begin(), yes);
      return static_cast<const float*>(runtime::interpret(batch.graph, inputs)[0].data())[1];
    };
    CHECK(run(false) == 6);
    CHECK_THROWS_AS(run(true), IndexError);
  }
}

TEST_CASE("batch_control_rules: a call is its body, with the gradient that it says") {
  check([](Sample& s) -> Vector<Value> {
    const Extent n = s.size(3);
    const Value x = s.x({n}), y = s.x({n});
    return results(s.builder, product(x, y, n), 1);
  });
  Sample sample;
  const Value x = sample.x({2}), y = sample.x({2}), z = sample.x({2});
  const Value call = sample.builder.append(product(x, y, 2));
  sample.graph.outputs = {sample.builder.add(call, z)};
  for (std::uint32_t choice = 0; choice < 4; ++choice) {
    const Vector<bool> flags{(choice & 1) != 0, (choice & 2) != 0, true};
    SampleBatch batch(sample, flags, 4);
    const Value variables[]{batch.graph.inputs[0], batch.graph.inputs[1]};
    batch.graph.outputs = autodiff::gradient(batch.graph, batch.outputs[0].value, variables);
    Vector<Storage> inputs;
    for (const bool flag : flags) inputs.push_back(Storage::allocate(flag ? 32 : 8));
    const Vector<Storage> found = runtime::interpret(batch.graph, inputs);
    for (std::size_t i = 0; i < 2; ++i) {
      CHECK(found[i].bytes() == (flags[i] ? 32 : 8));
      // What is the same for all four samples has the sum of their gradients.
      const float one = i == 0 ? 5 : 7;
      CHECK(*static_cast<const float*>(found[i].data()) == (flags[i] ? one : 4 * one));
    }
  }
}

TEST_CASE("batch_control_rules: each sample draws numbers of its own") {
  for (const bool batched : {false, true}) {
    Sample s;
    const Value seed = s.input(i64, {}), offset = s.input(i64, {});
    s.graph.outputs = {draw(s.builder, seed, offset, {5})};
    const SampleBatch batch(s, {false, batched}, 8);
    CHECK(batch.outputs[0].is_batched);
    Vector<Storage> inputs{Storage::allocate(8), Storage::allocate(batched ? 64 : 8)};
    for (Storage& input : inputs) std::memset(input.data(), 0, input.bytes());
    const std::vector<std::int32_t> found = draws(batch.graph, inputs);
    CHECK(std::set<std::int32_t>(found.begin(), found.end()).size() == 40);
  }
}

TEST_CASE("call: the batch of a call is a call") {
  const callees::Call call = callees::call_of_example();
  Graph graph;
  Builder build(graph);
  const Vector<autodiff::Batched> operands{{build.input({f32, {5, 3}}), true},
                                           {build.input({f32, {3}}), false}};
  const auto found = autodiff::batch(build, call.graph, operands, 5, {});
  graph.outputs = {found[0].value};
  verify(graph);
  CHECK(same(graph.type(found[0].value), {f32, {5, 3}}));
  CHECK(callee_of(graph[found[0].value.node]) != nullptr);
}
