#include <doctest/doctest.h>
#include <sinter/base/time/phase.hpp>

using namespace sinter::detail;

TEST_CASE("phase: the time of a clock is divided among its phases") {
  const PhaseClock clock;
  {
    const PhaseScope plan(CallPhase::plan);
    const PhaseScope load(CallPhase::load);
  }
  const PhaseTimes times = clock.times();
  CHECK(times[CallPhase::record] > 0);
  CHECK(times[CallPhase::plan] > 0);
  CHECK(times[CallPhase::load] > 0);
  CHECK(times[CallPhase::run] == 0);
  double sum = 0;
  for (const double seconds : times.seconds) sum += seconds;
  CHECK(times.total() == sum);
}

TEST_CASE("phase: the outer clock goes on in its phase while an inner one counts") {
  const PhaseClock outer;
  const PhaseScope run(CallPhase::run);
  {
    const PhaseClock inner;
    const PhaseScope plan(CallPhase::plan);
    CHECK(inner.times()[CallPhase::plan] > 0);
    CHECK(inner.times()[CallPhase::run] == 0);
  }
  const PhaseScope passes(CallPhase::passes);
  CHECK(outer.times()[CallPhase::run] > 0);
  CHECK(outer.times()[CallPhase::plan] == 0);
  CHECK(outer.times()[CallPhase::passes] > 0);
}

TEST_CASE("phase: times in words have milliseconds") {
  PhaseTimes times;
  times.seconds = {0.01, 0, 0, 0.00126, 0, 0, 1};
  CHECK(to_string(times) ==
        "1011.3 ms: record 10.0, initialize 0.0, passes 0.0, plan 1.3, emit 0.0, load 0.0, run "
        "1000.0");
}

TEST_CASE("phase: without a clock a scope does nothing") {
  const PhaseScope plan(CallPhase::plan);
  const PhaseClock clock;
  CHECK(clock.times()[CallPhase::plan] == 0);
}
