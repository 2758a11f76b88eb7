#include <doctest/doctest.h>
#include <sinter/graph/builder.hpp>
#include <sinter/jit/lower/options.hpp>
#include <sinter/jit/lower/parts.hpp>

#include "jit/support.hpp"

using namespace testing;

TEST_CASE("parts: have the options of their members, and are in order") {
  const std::string region = " [Backend::fused, Mode::max_autotune, 0.25 s]";
  const auto member = compile([](const Tensor& x) { return x * 2.0f; },
                              {.mode = Mode::max_autotune, .autotune_seconds = 0.25});
  compile([&](const Tensor& x) { return member(x); })(ones({4}));  // makes the region known
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
  CHECK(jit::has_parts(graph, {}));
  CHECK_FALSE(jit::has_parts(graph, {.tunes = true, .tuning_seconds = 0.25}));
  const jit::Parts parts = jit::parts_of(graph, {});
  REQUIRE(parts.list.size() == 3);
  CHECK_FALSE(parts.list[0].options.tunes);
  CHECK(parts.list[1].options.tunes);
  CHECK(parts.list[1].options.tuning_seconds == 0.25);
  CHECK(parts.list[1].inputs == std::vector<std::size_t>{2, 1});
  CHECK(parts.list[2].outputs == std::vector<std::size_t>{4});
  CHECK(parts.outputs == std::vector<std::size_t>{4, 0});
}
