// test: moved
#include <doctest/doctest.h>
#include <sinter/graph/hash.hpp>
#include <sinter/guard/failure.hpp>
#include <sinter/jit/record/tracer.hpp>

#include "jit/record_function.hpp"

using namespace testing;

namespace {

std::string shape_text(const jit::Recording& recording) {
  return describe(recording.guard).front();
}

const auto twice = [](Tensor& x) { return x * 2.0f; };

}  // namespace

TEST_CASE("tracer: sizes are static, unless they are marked, varied before, or all are dynamic") {
  Tensor x = zeros({4, 3}), marked = x, wished = x, fixed = x;
  mark_dynamic(marked, 0, {.min = 2});
  maybe_mark_dynamic(wished, 1);
  mark_static(fixed, 0);
  const CompileOptions automatic, on{.dynamic = Dynamic::on}, off{.dynamic = Dynamic::off};
  CHECK(shape_text(record_function(x, automatic, {}, twice)) == "argument 0 is f32[4, 3]");
  CHECK(shape_text(record_function(x, automatic, {{0, 1}}, twice)) ==
        "argument 0 is f32[4, argument 0.size(1)]");
  CHECK(shape_text(record_function(marked, automatic, {}, twice)) ==
        "argument 0 is f32[argument 0.size(0), 3]");
  CHECK(shape_text(record_function(wished, automatic, {}, twice)) ==
        "argument 0 is f32[4, argument 0.size(1)]");
  CHECK(shape_text(record_function(fixed, on, {}, twice)) ==
        "argument 0 is f32[4, argument 0.size(1)]");
  CHECK(shape_text(record_function(marked, off, {}, twice)) == "argument 0 is f32[4, 3]");
}

TEST_CASE("tracer: unmarked sizes 0 and 1 are static even if all sizes are dynamic") {
  Tensor x = zeros({1, 0, 2});
  CHECK(shape_text(record_function(x, {.dynamic = Dynamic::on}, {}, twice)) ==
        "argument 0 is f32[1, 0, argument 0.size(2)]");
}

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

TEST_CASE("tracer: named dimensions of one name are one size") {
  const auto f = compile([](const TensorOf<float, "n", 2>& a, const TensorOf<float, "n", 3>& b) {
    return sum(Tensor(a)) + sum(Tensor(b));
  });
  CHECK(near(f(ones({4, 2}), ones({4, 3})), {20}));
  CHECK(near(f(ones({1, 2}), ones({1, 3})), {5}));
  CHECK(near(f(ones({0, 2}), ones({0, 3})), {0}));
  CHECK(f.stats().recordings == 1);
  try {
    f(ones({4, 2}), ones({5, 3}));
    FAIL_CHECK("nothing was thrown");
  } catch (const ShapeError& error) {
    CHECK(contains(error.what(), "4 and 5"));
    CHECK(contains(error.what(), "tracer_test.cpp"));
  }
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
