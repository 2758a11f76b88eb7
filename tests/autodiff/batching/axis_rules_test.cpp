// test: moved
#include <sinter/autodiff/batching/axis_rules.hpp>

#include "batches.hpp"

using namespace batches;

TEST_CASE("axis rules: movements are those of each sample") {
  check([](Sample& s) -> Vector<Value> {
    const Extent n = s.size(4);
    const Value x = s.x({n, 6});
    return {s.builder.reshape(x, {2, n, 3}), s.builder.permute(x, {1, 0}),
            s.builder.flip(x, {0, 1}), s.builder.flip(x, {1})};
  });
  check([](Sample& s) -> Vector<Value> {
    const Extent n = s.size(3);
    return {s.builder.expand(s.x({1, n, 1}), {s.size(2), n, 4})};
  });
  check([](Sample& s) -> Vector<Value> {
    const Value x = s.x({s.size(3), s.size(2)});
    return {s.builder.pad(x, {s.size(1), 0}, {2, s.size(3)}, constant(5.0))};
  });
  check([](Sample& s) -> Vector<Value> {
    const Extent n = s.size(7);
    return {s.builder.slice(s.x({n, 5}), {1, 0}, {2, 3}, {ceil_div(n - 1, 2), 2})};
  });
  check([](Sample& s) -> Vector<Value> {
    const Value x = s.x({2, s.size(9), 3});
    return {s.builder.unfold(x, 1, s.size(3), 3, 2, 2), s.builder.unfold(x, 2, 2, 2)};
  });
}

TEST_CASE("axis rules: concatenate joins what is batched and what is not") {
  check([](Sample& s) -> Vector<Value> {
    const Extent n = s.size(2), m = s.size(3);
    const Vector<Value> parts{s.x({n, m}), s.x({n, 1}), s.x({n, m})};
    return {s.builder.concatenate(parts, 1)};
  });
}

TEST_CASE("axis rules: tensors of rank 0 and without elements are batched") {
  check([](Sample& s) -> Vector<Value> {
    const Value x = s.x({}), y = s.x({});
    return {s.builder.mul(x, y), s.builder.reshape(x, {1, 1}), s.builder.reduce(Op::argmax, x, {})};
  });
  check([](Sample& s) -> Vector<Value> {
    const Value x = s.x({s.size(0), 3});
    return {s.builder.reduce(Op::sum, x, {0}), s.builder.permute(x, {1, 0})};
  });
}

TEST_CASE("axis rules: what a program makes itself is the same for all samples") {
  Sample sample;
  Builder& build = sample.builder;
  const Value x = sample.x({3});
  const Value position = build.iota({f32, {3}}, 0), two = build.constant_like(position, 2);
  sample.graph.outputs = {build.mul(position, two), build.mul(x, two), build.add(x, position)};
  const SampleBatch batch(sample, {true}, 4);
  CHECK_FALSE(batch.outputs[0].is_batched);
  CHECK(batch.outputs[1].is_batched);
  check_batch(sample, {true}, 4, 1);
  int expands = 0;  // numbers and positions are made in the shape of the batch
  for (const Node& node : batch.graph.nodes) expands += node.op == Op::expand;
  CHECK(expands == 0);
}
