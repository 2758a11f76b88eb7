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
