// test: moved
#include <sinter/autodiff/batching/loop_rules.hpp>

#include "batches.hpp"

using namespace batches;

namespace {

// while (i < limit) { sum += x[i]; i += 1; }, from i and sum, which also gives the limit back.
Vector<Value> sum_up_to(Builder& build, Value i, Value sum, Value limit, Value x) {
  const Shape shape = build.shape(x);
  Graph test, step;
  for (Graph* const body : {&test, &step}) {
    Builder inside(*body);
    const Value at = inside.input({i64, {}}), total = inside.input({f32, {}});
    const Value end = inside.input({i64, {}}), from = inside.input({f32, shape});
    if (body == &test) {
      body->outputs = {inside.elementwise(Op::lt, {at, end})};
    } else {
      const Value next = inside.add(total, inside.gather(from, at, 0));
      body->outputs = {inside.add(at, inside.constant_like(at, 1)), next, end};
    }
  }
  const NodeId id = build.append({.op = Op::while_loop,
                                  .inputs = {i, sum, limit, x},
                                  .attributes = {{"states", constant(3)}},
                                  .bodies = {test, step}});
  return {{id, 0}, {id, 1}, {id, 2}};
}

// A carry that becomes batched by another, what is scanned, and what is the same in each step.
Graph step(Extent n) {
  Graph graph;
  Builder body(graph);
  const Value a = body.input({f32, {n}}), b = body.input({f32, {n}});
  const Value x = body.input({f32, {n}}), w = body.input({f32, {n, n}});
  const Value moved = body.dot_general(w, a, {.lhs_contract = {1}, .rhs_contract = {0}});
  const Value next = body.elementwise(Op::tanh, {body.add(moved, x)});
  graph.outputs = {next, body.add(b, next), body.mul(next, b)};
  return graph;
}

template <bool reverse>
Vector<Value> scan(Sample& s) {
  const Extent n = s.size(2), length = s.size(4);
  const Value a = s.x({n}), b = s.x({n}), xs = s.x({length, n}), w = s.x({n, n});
  const NodeId id = s.builder.append({.op = Op::scan,
                                      .inputs = {a, b, xs, w},
                                      .attributes = {{"carries", constant(2)},
                                                     {"xs", constant(1)},
                                                     {"reverse", constant(reverse ? 1 : 0)}},
                                      .bodies = {step(n)}});
  return {{id, 0}, {id, 1}, {id, 2}};
}

}  // namespace

TEST_CASE("batch_loop_rules: a scan is that of each sample, either way") {
  check(scan<false>);
  check(scan<true>);
}

TEST_CASE("batch_loop_rules: samples take as many steps as each would alone") {
  // With the limit at the end of x, the index of a sample that is done is out of range.
  check([](Sample& s) -> Vector<Value> {
    const Value i = s.input(i64, {}, {0, 2}), sum = s.x({});
    const Value limit = s.input(i64, {}, {0, 6}), x = s.x({s.size(5)});
    return sum_up_to(s.builder, i, sum, limit, x);
  });
}

TEST_CASE("batch_loop_rules: an index that is out of range in a step that is made is an error") {
  Sample s;
  const Value i = s.input(i64, {}, {0, 1}), sum = s.x({});
  const Value limit = s.input(i64, {}, {7, 8}), x = s.x({5});
  s.graph.outputs = sum_up_to(s.builder, i, sum, limit, x);
  CHECK_THROWS_AS(check_batch(s, {true, true, true, true}, 2, 1), IndexError);
}

TEST_CASE("batch_loop_rules: a loop in a branch runs for the samples that take the branch") {
  check([](Sample& s) -> Vector<Value> {
    Graph loop, other;
    Builder build(loop), none(other);
    const Value i = build.input({i64, {}}), sum = build.input({f32, {}});
    const Value limit = build.input({i64, {}}), x = build.input({f32, {5}});
    const Vector<Value> found = sum_up_to(build, i, sum, limit, x);
    loop.outputs = {found[0], found[1]};
    const Value count = none.input({i64, {}}), total = none.input({f32, {}});
    none.input({i64, {}}), none.input({f32, {5}});
    other.outputs = {none.neg(count), total};
    const Value holds = s.truth(), a = s.input(i64, {}, {0, 2}), b = s.x({});
    const Value c = s.input(i64, {}, {2, 6}), d = s.x({5});
    const NodeId id =
        s.builder.append({.op = Op::cond, .inputs = {holds, a, b, c, d}, .bodies = {loop, other}});
    return {{id, 0}, {id, 1}};
  });
}

TEST_CASE("batch_loop_rules: a loop in a scan, with what becomes batched on the way") {
  check([](Sample& s) -> Vector<Value> {
    Graph body;
    Builder build(body);
    const Value carry = build.input({f32, {}}), x = build.input({f32, {5}});
    const Value limit = build.input({i64, {}});
    const Value zero = build.constant_like(limit, 0);
    body.outputs = {sum_up_to(build, zero, carry, limit, x)[1], carry};
    const Value first = s.x({}), xs = s.x({s.size(3), 5}), most = s.input(i64, {}, {0, 6});
    const NodeId id = s.builder.append(
        {.op = Op::scan,
         .inputs = {first, xs, most},
         .attributes = {{"carries", constant(1)}, {"xs", constant(1)}, {"reverse", constant(0)}},
         .bodies = {body}});
    return {{id, 0}, {id, 1}};
  });
}

TEST_CASE("batch_loop_rules: a loop in a branch ends when no sample that takes it goes on") {
  Sample s;
  Graph loop, other;
  Builder build(loop), none(other);
  const Value i = build.input({i64, {}}), x = build.input({f32, {5}});
  const Value zero = build.constant(constant(0.0), {f32, {}});
  loop.outputs = {sum_up_to(build, i, zero, build.constant_like(i, 3), x)[1]};
  none.input({i64, {}}), none.input({f32, {5}});
  other.outputs = {none.constant(constant(1.0), {f32, {}})};
  const Value holds = s.truth(), first = s.input(i64, {}), y = s.x({5});
  s.graph.outputs = {
      s.builder.append({.op = Op::cond, .inputs = {holds, first, y}, .bodies = {loop, other}})};
  const SampleBatch batch(s, {true, false, false}, 2);  // the loop is the same for all samples
  bool asks_all = false;
  for (const Node& node : batch.graph.nodes) {
    if (node.op != Op::while_loop) continue;
    for (const Node& inner : node.bodies[0].nodes) asks_all = asks_all || inner.op == Op::max;
  }
  CHECK(asks_all);
  check_batch(s, {true, false, false}, 3, 1);
}
