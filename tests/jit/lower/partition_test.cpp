#include <doctest/doctest.h>
#include <sinter/graph/builder.hpp>
#include <sinter/jit/lower/options.hpp>
#include <sinter/jit/lower/partition.hpp>

#include "jit/support.hpp"

using namespace testing;

TEST_CASE("partition: partitions have the options of their members, and are in order") {
  const std::string region = " [Backend::fused, Mode::max_autotune, 0.25 s]";
  const auto member = compile([](const Tensor& x) { return x * 2.0f; },
                              {.mode = Mode::max_autotune, .autotune_seconds = 0.25});
  compile([&](const Tensor& x) { return member(x); })(ones({4}));  // registers the region
  REQUIRE(jit::member_options(intern("a" + region)) != nullptr);
  Graph graph;
  Builder builder(graph);
  const Value x = builder.input({f32, {4}}), y = builder.input({f32, {4}});
  const Value before = builder.elementwise(Op::exp, {x});
  builder.at({}, intern("inner" + region));
  const Value inside = builder.elementwise(Op::add, {before, y});
  builder.at(Where());
  const Value after = builder.elementwise(Op::mul, {inside, before});
  graph.outputs = {after, x};
  CHECK(jit::needs_partition(graph, {}));
  CHECK_FALSE(jit::needs_partition(graph, {.tunes = true, .tuning_seconds = 0.25}));
  const jit::PartitionedGraph partitions = jit::partition(graph, {});
  REQUIRE(partitions.list.size() == 3);
  CHECK_FALSE(partitions.list[0].options.tunes);
  CHECK(partitions.list[1].options.tunes);
  CHECK(partitions.list[1].options.tuning_seconds == 0.25);
  CHECK(partitions.list[1].inputs == Vector<std::size_t>{2, 1});
  CHECK(partitions.list[2].outputs == Vector<std::size_t>{4});
  CHECK(partitions.outputs == Vector<std::size_t>{4, 0});
}

namespace {

// The texts of the kernels of the last call of `f`.
std::string kernels_of(const auto& f) {
  std::string result;
  for (const KernelInfo& kernel : f.explain().kernels) result += kernel.source;
  return result;
}

const auto curve = [](const Tensor& x) { return softmax(exp(x) * 0.5f + tanh(x), -1) * 3.0f; };

}  // namespace

TEST_CASE("partition: operations that are interpreted by name are in no kernel") {
  const Tensor x = randn({5, 7});
  const auto all = compile(curve);
  const Tensor expected = all(x);
  CHECK(contains(kernels_of(all), "tanh"));
  const auto without_tanh = compile(curve, {.interpret = "tanh"});
  CHECK(near_tensor(without_tanh(x), expected));
  CHECK_FALSE(contains(kernels_of(without_tanh), "tanh"));
  CHECK(without_tanh.stats().eager_calls == 0);  // the rest is compiled
  const auto named_by_environment = [&] {
    const ScopedVariable chosen("SINTER_OPTIONS", "interpret=tanh+exp");
    return compile(curve);
  }();
  CHECK(near_tensor(named_by_environment(x), expected));
  CHECK_FALSE(contains(kernels_of(named_by_environment), "tanh"));
}

TEST_CASE("partition: the name of a public function stands for all operations that it is made of") {
  const Tensor x = randn({5, 7});
  const auto f = compile(curve, {.interpret = "softmax"});
  const Tensor expected = compile(curve)(x);
  CHECK(near_tensor(f(x), expected));
  for (const KernelInfo& kernel : f.explain().kernels) {
    INFO(kernel.name);
    CHECK_FALSE(contains(kernel.source, "div"));
    CHECK_FALSE(contains(kernel.name, "sum"));
  }
  CHECK(contains(kernels_of(f), "tanh"));
}

TEST_CASE(
    "partition: a branch with an operation that is interpreted by name is interpreted whole") {
  const auto branches = [](const Tensor& x) {
    return cond(
               sum(x) > 0.0f, [](const Tensor& y) { return tanh(y); },
               [](const Tensor& y) { return y * 2.0f; }, x) +
           1.0f;
  };
  const auto f = compile(branches, {.interpret = "tanh"});
  CHECK(near_tensor(f(ones({3})), branches(ones({3}))));
  CHECK(near_tensor(f(-ones({3})), branches(-ones({3}))));
  CHECK_FALSE(contains(kernels_of(f), "tanh"));
}

TEST_CASE("partition: a traced function and its gradients obey interpret") {
  const auto traced = [](const Tensor& x) {
    if (sum(x).item<float>() < 0) return x;
    return tanh(x) * 2.0f;
  };
  const auto f = compile(traced, {.interpret = "tanh"});
  said([&] { CHECK(near_tensor(f(ones({3})), tanh(ones({3})) * 2.0f)); });
  CHECK_FALSE(contains(kernels_of(f), "tanh"));
  const auto sine = [](const Tensor& x) { return sum(sin(x) * x); };
  const auto g = compile(grad(sine), {.interpret = "cos"});
  CHECK(near_tensor(g(ones({3})), grad(sine)(ones({3}))));
  CHECK_FALSE(contains(kernels_of(g), "cos"));
}

TEST_CASE("partition: a name that no operation has is reported once, with those that there are") {
  const auto f = compile(curve, {.dynamic = Dynamic::off, .name = "curve", .interpret = "sofmax"});
  const std::string told = said([&] { f(ones({5, 7})); });
  INFO(told);
  CHECK(contains(told, "curve at "));
  CHECK(contains(told, "interpret names sofmax, which no operation of the graph is; it has "));
  CHECK(contains(told, "softmax"));
  CHECK(contains(told, "tanh"));
  CHECK(said([&] { f(ones({5, 8})); }).empty());
}
