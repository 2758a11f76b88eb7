// test: moved
#include "testing.hpp"

#include <sinter/trace/core/evaluate.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/ops/creation/random.hpp>
#include <sinter/trace/ops/index/index.hpp>

#include <thread>

using namespace testing;

namespace {

// Counts what it evaluates, and delegates to the previous evaluator.
struct CountingEvaluator : Evaluator {
  CountingEvaluator() : inner(current_evaluator()) { current_evaluator() = this; }
  ~CountingEvaluator() override { current_evaluator() = inner; }
  Vector<Storage> evaluate(const Graph& graph, Span<const Storage> inputs, Device device) override {
    ++calls;
    nodes += graph.nodes.size();
    return inner->evaluate(graph, inputs, device);
  }

  Evaluator* inner;
  std::size_t calls = 0, nodes = 0;
};

}  // namespace

TEST_CASE("evaluate: happens at the first read, and once") {
  CountingEvaluator counting;
  const Tensor x = vector({1, 2}), y = add(x, 1);
  CHECK(counting.calls == 0);

  CHECK(y.to_vector<float>() == std::vector<float>{2, 3});
  CHECK(y.to_vector<float>() == std::vector<float>{2, 3});
  CHECK(counting.calls == 1);
}

TEST_CASE("evaluate: computes what other handles hold along with it") {
  CountingEvaluator counting;
  const Tensor x = vector({1, 2}), y = add(x, 1), z = mul(y, 2);

  z.to_vector<float>();
  y.to_vector<float>();

  CHECK(counting.calls == 1);
  const std::size_t nodes = counting.nodes;
  mul(y, 3).to_vector<float>();
  CHECK(counting.nodes <= nodes + 3);  // y is there: an input, a number and the product
}

TEST_CASE("evaluate: releases what it was computed from") {
  Tensor x = vector({1, 2});
  const Tensor y = add(x, 1);
  y.to_vector<float>();
  CHECK(y.lazy()->operands.empty());
  CHECK(x.lazy()->references == 1);
}

TEST_CASE("evaluate: chains may be long") {
  Tensor x = zeros({1});
  for (int i = 0; i < 100'000; ++i) x = add(x, 1);
  CHECK(x.item<float>() == 100'000);
}

TEST_CASE("evaluate: one tensor may be read by many threads") {
  const Tensor x = mul(ones({1000}), 3);
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { right += x.to_vector<float>() == std::vector<float>(1000, 3.0f); });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(right == 4);
}

TEST_CASE("evaluate: a fault in the data throws, and throws again") {
  const Tensor x = vector({1, 2});
  const Tensor bad = index_select(x, 0, integers({0, 2}));
  CHECK_THROWS_AS(bad.to_vector<float>(), IndexError);
  CHECK_THROWS_AS(bad.to_vector<float>(), IndexError);
  CHECK(near(x, {1, 2}));
}

TEST_CASE("evaluate: reads in a recording throw and name their line") {
  Recorder recorder;
  RecorderScope scope(&recorder);
  const Tensor x = recorder.placeholder({f32, {}});

  MISTAKE(GraphBreakError, x.item<float>(), "f32[]", "where(condition");
  MISTAKE(GraphBreakError, add(x, 1).to_vector<float>(), "cond");
}

TEST_CASE("evaluate: what a recording leaves behind has no elements") {
  Tensor kept;
  {
    Recorder recorder;
    RecorderScope scope(&recorder);
    kept = add(recorder.placeholder({f32, {}}), 1);
  }
  MISTAKE(GraphBreakError, kept.item<float>(), "recording that is over", "f32[]", "return");
}
