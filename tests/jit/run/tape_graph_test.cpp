// test: moved
#include <doctest/doctest.h>
#include <sinter/jit/run/tape_graph.hpp>

#include "jit/started_run.hpp"

using namespace testing;

TEST_CASE("tape_graph: what is held is computed at the end, and nothing else") {
  Started started(new_state(), vector({1, 2}));
  const Tensor result = started.record([](const Tensor& x) {
    static_cast<void>(exp(x));
    return x * 2.0f;
  });
  CHECK(!result.lazy()->evaluated());
  started.run->finish(started.copies, started.names);
  CHECK(result.lazy()->evaluated());
  CHECK(started.run->report().segments.size() == 1);
  CHECK(started.run->report().segments[0]->outputs.size() == 1);
  CHECK(started.run->report().compiled);
  CHECK(near(result, {2, 4}));
}

TEST_CASE("tape_graph: what is held is what something beside the tape refers to") {
  Started started(new_state(), vector({1, 2}));
  const Tensor result = started.record([](const Tensor& x) { return exp(x) * 2.0f; });
  const Recorder& recorder = started.run->recorder();
  const std::uint32_t position = result.lazy()->position;
  CHECK(jit::detail::held(recorder) == Positions{position});
  CHECK(jit::detail::with_held(recorder, {position}) == Positions{position});
  std::vector<Tensor> inputs;
  const Graph graph = jit::detail::extract(
      *started.run, {.detached = Detached::as_values, .fixes_sizes = true}, {position}, {}, inputs,
      {});
  CHECK(graph.outputs.size() == 1);
  REQUIRE(inputs.size() == 1);
  CHECK(jit::detail::real_of(*started.run, *inputs[0].lazy()) == &started.argument);
  started.run->finish(started.copies, started.names);
}
