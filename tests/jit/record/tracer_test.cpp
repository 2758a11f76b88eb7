// test: moved
#include <doctest/doctest.h>
#include <sinter/graph/hash.hpp>
#include <sinter/jit/record/tracer.hpp>

#include "jit/record_function.hpp"

using namespace testing;

TEST_CASE("tracer: random functions read seed and offset; created elements come last") {
  Tensor x = zeros({2});
  const jit::Recording recording = record_function(x, {}, {}, [](Tensor& y) {
    return y + rand({2}) + from_vector<float>({1, 2}, {2});
  });
  CHECK(recording.is_random);
  CHECK(recording.leaves == 1);
  CHECK(recording.graph.inputs.size() == 4);
  CHECK(recording.captured.size() == 1);
}

TEST_CASE("tracer: the same function is recorded the same way again") {
  Tensor x = zeros({4, 3});
  mark_dynamic(x, 0);
  const auto function = [](Tensor& y) { return softmax(y, -1) + sum(reshape(y, {3 * y.size(0)})); };
  const jit::Recording first = record_function(x, {}, {}, function);
  Tensor other = zeros({7, 3});
  guard::Leaves real, copies, results;
  guard::collect(other, real);
  const CompileOptions options;
  const GivenNames names({"argument 0"});
  jit::Tracer tracer(real, names, options, {}, Where::current());
  Tensor copy = other, result;
  guard::collect(copy, copies);
  {
    const RecorderScope scope(&tracer.recorder());
    tracer.begin_like(copies, first);
    result = function(copy);
  }
  guard::collect(result, results);
  const jit::Recording second = tracer.make_recording(copies, {"argument 0"}, results, {}, {});
  CHECK(hash_of(first.graph) == hash_of(second.graph));
}

TEST_CASE("tracer: created state may not start with a value of the call") {
  const auto f = compile(
      [](optim::SGD& optimizer, const Tensor& x) { create_state(optimizer.sums["x"], x * 2.0f); });
  optim::SGD optimizer{.learning_rate = 0.1f};
  try {
    f(optimizer, vector({1, 2}));
    FAIL_CHECK("nothing was thrown");
  } catch (const ValueError& error) {
    CHECK(contains(error.what(), "zeros_like"));
  }
  CHECK(optimizer.sums.empty());
}
