// test: moved
#include <sinter/autodiff/batching/batch.hpp>
#include <sinter/autodiff/gradient/gradient.hpp>

#include "batches.hpp"
#include "finite_differences.hpp"

using namespace batches;

namespace {

// Of x[3], w[3, 3] and an index: a little of everything.
Value program(Builder& build, Value x, Value w, Value at) {
  const Value y = build.dot_general(w, x, {.lhs_contract = {1}, .rhs_contract = {0}});
  const Value scaled = build.mul(build.elementwise(Op::tanh, {y}), x);
  const Value picked = build.gather(w, at, 0);
  const Value added = build.scatter_add(
      scaled, build.reshape(at, {1}), build.reduce(Op::sum, build.reshape(picked, {1, 3}), {1}), 0);
  return build.reduce(Op::sum, build.elementwise(Op::sin, {added}), {0});
}

}  // namespace

TEST_CASE("batch: what no sample differs in is computed once") {
  Sample sample;
  Builder& build = sample.builder;
  const Value x = sample.x({3}), y = sample.x({3});
  sample.graph.outputs = {build.mul(x, build.elementwise(Op::exp, {y}))};
  const SampleBatch batch(sample, {true, false}, 4);
  for (const Node& node : batch.graph.nodes) {
    if (node.op == Op::exp) CHECK(to_string(node.results[0]) == "f32[3]");
    if (node.op == Op::mul) CHECK(to_string(node.results[0]) == "f32[4, 3]");
  }
}

TEST_CASE("batch: batches of batches") {
  Sample sample;
  const Value x = sample.x({3}), y = sample.x({2, 3});
  sample.graph.outputs = {sample.builder.dot_general(y, x, {{}, {}, {1}, {0}})};
  for (const bool inner : {false, true}) {
    const SampleBatch once(sample, {true, inner}, 4);
    Sample again;
    again.graph = once.graph;
    again.ranges = sample.ranges;
    for (const bool outer : {false, true}) check_batch(again, {outer, true}, 2, 1);
  }
}

TEST_CASE("batch: more than 10 dimensions are an error in the words of the program") {
  Sample sample;
  const Value x = sample.x({1, 1, 1, 1});
  const Where here = Where::current();
  sample.builder.at(here);
  sample.graph.outputs = {sample.builder.reshape(x, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1})};
  CHECK_NOTHROW(SampleBatch(sample, {false}, 2));
  try {
    SampleBatch(sample, {true}, 2);
    FAIL_CHECK("nothing was thrown");
  } catch (const ShapeError& error) {
    const std::string report = error.what();
    CHECK(report.find("vmap: a batch of these tensors has too many dimensions") == 0);
    CHECK(report.find("at most 10 dimensions") != std::string::npos);
    CHECK(error.where().line() == here.line());
  }
}

TEST_CASE("batch: gradients through a batch are those of differences") {
  for (std::uint32_t choice = 1; choice < 8; ++choice) {
    differences::Program whole;
    const auto flag = [&](int i) { return (choice >> i & 1) != 0; };
    Graph one;
    Builder build(one);
    const Value x = build.input({f64, {3}}), w = build.input({f64, {3, 3}});
    const Value at = build.input({i64, {}});
    one.outputs = {program(build, x, w, at)};
    const Shape xs = flag(0) ? Shape{4, 3} : Shape{3}, ws = flag(1) ? Shape{4, 3, 3} : Shape{3, 3};
    Builder& outer = whole.builder;
    const Value turn = outer.iota({i64, {4}}, 0);
    const Value index = outer.elementwise(Op::remainder, {turn, outer.constant_like(turn, 3)});
    const Value last = outer.constant(constant(-1), {i64, {}});
    const Vector<Batched> operands{
        {whole.input(xs), flag(0)}, {whole.input(ws), flag(1)}, {flag(2) ? index : last, flag(2)}};
    const Batched found = autodiff::batch(outer, one, operands, 4)[0];
    CAPTURE(choice);
    CHECK(found.is_batched);
    CHECK(differences::gradient_error(whole, found.value) <= 1e-6);
  }
}
