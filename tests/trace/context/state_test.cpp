// test: moved
#include "testing.hpp"

#include <sinter/trace/context/state.hpp>
#include <sinter/trace/core/recorder.hpp>

using namespace testing;

TEST_CASE("create_state: outside of recordings is an assignment") {
  Tensor moment;
  create_state(moment, zeros({2}));
  CHECK(near(moment, {0, 0}));
}

TEST_CASE("create_state: in a recording the state is an input that starts as it was given") {
  Recorder recorder;
  RecorderScope scope(&recorder);
  Tensor moment;

  create_state(moment, zeros({2}));

  CHECK(moment.lazy()->node.op == Op::input);
  CHECK(to_string(moment) == "f32[2]");
  REQUIRE(recorder.created().size() == 1);
  CHECK(recorder.created()[0].member == &moment);
  CHECK(recorder.created()[0].placeholder.lazy() == moment.lazy());
  CHECK(recorder.created()[0].initial.lazy()->node.op == Op::constant);
}
