// test: moved
#include "testing.hpp"

#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/movement/pad.hpp>

using namespace testing;

TEST_CASE("pad: reflects, replicates or goes around") {
  const Tensor x = vector({1, 2, 3});
  CHECK(near(pad(x, {{2, 1}}, PadMode::reflect), {3, 2, 1, 2, 3, 2}));
  CHECK(near(pad(x, {{2, 1}}, PadMode::replicate), {1, 1, 1, 2, 3, 3}));
  CHECK(near(pad(x, {{2, 3}}, PadMode::circular), {2, 3, 1, 2, 3, 1, 2, 3}));
  CHECK(near(pad(x, {{1, 1}}, PadMode::constant), {0, 1, 2, 3, 0}));
  CHECK(pad(x, {{0, 0}}, PadMode::reflect).lazy() == x.lazy());
}

TEST_CASE("pad: corners come from both axes") {
  const Tensor x = counting({2, 2});
  CHECK(near(pad(x, {{1, 0}, {0, 1}}, PadMode::reflect), {2, 3, 2, 0, 1, 0, 2, 3, 2}));
  CHECK(near(pad(x, {{0, 1}, {1, 0}}, PadMode::replicate), {0, 0, 1, 2, 2, 3, 2, 2, 3}));
  CHECK(to_string(pad(ones({2, 0}, i8), {{1, 1}, {0, 0}}, PadMode::circular)) == "i8[4, 0]");
}

TEST_CASE("pad: sizes that are symbols stay symbols") {
  Recorder recorder;
  RecorderScope scope(&recorder);
  const Extent n = recorder.symbol({.min = 3}, 6, Freedom::automatic, "n");
  const Tensor x = recorder.placeholder({f32, {n}});
  for (const PadMode mode : {PadMode::reflect, PadMode::replicate, PadMode::circular}) {
    CHECK(same(pad(x, {{2, 1}}, mode).shape()[0], n + 3));
  }
  CHECK(recorder.assumptions().empty());
}

TEST_CASE("pad: mistakes name the line, the values, the rule and the way out") {
  const Tensor x = ones({3});
  MISTAKE(ShapeError, (pad(x, {{3, 0}}, PadMode::reflect)), "too few elements", "below the extent");
  MISTAKE(ShapeError, (pad(x, {{0, 4}}, PadMode::circular)), "too few elements", "at most");
  MISTAKE(ShapeError, (pad(ones({0}), {{1, 0}}, PadMode::replicate)), "an element to repeat");
  MISTAKE(ShapeError, (pad(x, {}, PadMode::reflect)), "not one pair of widths for each axis");
  MISTAKE(ValueError, (pad(x, {{-1, 0}}, PadMode::reflect)), "a width is negative");
}
