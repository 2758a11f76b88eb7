// test: moved
#include <doctest/doctest.h>
#include <sinter/jit/run/tape_graph.hpp>

#include "jit/started_trace.hpp"

using namespace testing;

TEST_CASE("tape_graph: escaping values are computed at the end, and nothing else") {
  StartedTrace started(new_state(), vector({1, 2}));
  const Tensor result = started.record([](const Tensor& x) {
    static_cast<void>(exp(x));
    return x * 2.0f;
  });
  CHECK(!result.lazy()->evaluated());
  started.tracer->run_last_segment(started.copies, started.names);
  CHECK(result.lazy()->evaluated());
  CHECK(started.tracer->report().segments.size() == 1);
  CHECK(started.tracer->report().segments[0]->outputs.size() == 1);
  CHECK(started.tracer->report().compiled);
  CHECK(near(result, {2, 4}));
}

TEST_CASE("tape_graph: values escape if something outside of the tape refers to them") {
  StartedTrace started(new_state(), vector({1, 2}));
  const Tensor result = started.record([](const Tensor& x) { return exp(x) * 2.0f; });
  const Recorder& recorder = started.tracer->recorder();
  const std::uint32_t position = result.lazy()->position;
  CHECK(jit::detail::escaping_values(recorder) == Positions{position});
  CHECK(jit::detail::with_escaping_operands(recorder, {position}) == Positions{position});
  std::vector<Tensor> inputs;
  const Graph graph =
      jit::detail::extract(*started.tracer, {.detached = Detached::as_values, .fixes_sizes = true},
                           {position}, {}, inputs, {});
  CHECK(graph.outputs.size() == 1);
  REQUIRE(inputs.size() == 1);
  CHECK(jit::detail::real_of(*started.tracer, *inputs[0].lazy()) == &started.argument);
  started.tracer->run_last_segment(started.copies, started.names);
}
