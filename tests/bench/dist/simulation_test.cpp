// Schedules whose times are computed by hand, and their limits.

#include <doctest/doctest.h>

#include <sstream>
#include <vector>

#include "../../../bench/dist/simulation.hpp"

using bench::Launch;
using bench::simulate;
using bench::StepTime;
using Kind = Launch::Kind;

namespace {

Launch kernel(double seconds) { return {.name = "k", .seconds = seconds}; }
Launch start(int bucket, double bytes, double seconds = 0) {
  return {Kind::start, "s", seconds, bytes, bucket};
}
Launch wait(int bucket, double seconds = 0) { return {Kind::wait, "w", seconds, 0, bucket}; }
Launch collective(double bytes) { return {Kind::collective, "c", 0, bytes}; }

// A second for each byte.
double per_byte(const Launch& launch) { return launch.bytes; }

// Backward kernels, two buckets, updates, the loss of all ranks.
const std::vector<Launch> step{kernel(4),    start(0, 3, 1), kernel(2), start(1, 5),  kernel(1.5),
                               wait(0, 0.5), wait(1),        kernel(2), collective(1)};

}  // namespace

TEST_CASE("simulation: a step by hand") {
  const StepTime time = simulate(step, per_byte);
  // Bucket 0 is filled at 5 and arrives at 8; bucket 1 is filled at 7, runs from 8 to 13. The
  // kernels are done at 8.5, bucket 0 is copied until 9, bucket 1 is waited for until 13. The
  // updates end at 15, the loss is there at 16.
  CHECK(time.seconds == doctest::Approx(16));
  CHECK(time.communication == doctest::Approx(3 + 5 + 1));
  CHECK(time.exposed == doctest::Approx((13 - 9) + 1));
  CHECK(time.hidden() == doctest::Approx(1 - 5.0 / 9));
}

TEST_CASE("simulation: without latency, of any bandwidth, the step is that of one rank") {
  const StepTime time = simulate(step, [](const Launch&) { return 0.0; });
  CHECK(time.seconds == doctest::Approx(4 + 1 + 2 + 1.5 + 0.5 + 2));
  CHECK(time.communication == 0);
  CHECK(time.hidden() == 0);
}

TEST_CASE("simulation: without overlap the times add up") {
  const std::vector<Launch> blocking{kernel(4), collective(3), kernel(2), collective(5), kernel(2)};
  const StepTime time = simulate(blocking, per_byte);
  CHECK(time.seconds == doctest::Approx(4 + 3 + 2 + 5 + 2));
  CHECK(time.exposed == time.communication);
  CHECK(time.hidden() == 0);
  const std::vector<Launch> at_once{kernel(4), start(0, 3), wait(0), kernel(2)};
  CHECK(simulate(at_once, per_byte).seconds == doctest::Approx(4 + 3 + 2));
  CHECK(simulate(at_once, per_byte).hidden() == 0);
}

TEST_CASE("simulation: enough kernels hide everything") {
  const std::vector<Launch> hidden{start(0, 3), start(1, 2), kernel(5), wait(0), wait(1)};
  const StepTime time = simulate(hidden, per_byte);
  CHECK(time.seconds == doctest::Approx(5));
  CHECK(time.exposed == 0);
  CHECK(time.hidden() == 1);
}

TEST_CASE("simulation: a collective waits for buckets that were started before it") {
  const StepTime time = simulate(std::vector{start(0, 3), collective(1), wait(0)}, per_byte);
  CHECK(time.seconds == doctest::Approx(4));
  CHECK(time.exposed == doctest::Approx(4));
}

TEST_CASE("simulation: streams that share a processor slow each other down") {
  const std::vector<Launch> both{start(0, 2), kernel(3), wait(0)};
  // Half as fast, the bucket takes 4, in which 2 of 3 are computed.
  const StepTime half = simulate(both, per_byte, {.compute = 0.5, .communicate = 0.5});
  CHECK(half.seconds == doctest::Approx(5));
  CHECK(half.communication == doctest::Approx(4));
  CHECK(half.exposed == 0);
  // The kernels take 6, in which 1.5 of 2 are communicated; the rest runs alone.
  const StepTime slow = simulate(both, per_byte, {.compute = 0.5, .communicate = 0.25});
  CHECK(slow.seconds == doctest::Approx(6.5));
  CHECK(slow.exposed == doctest::Approx(0.5));
}

TEST_CASE("simulation: launches are read as they were written") {
  std::stringstream file;
  bench::write(file, step);
  const std::vector<Launch> read = bench::read_launches(file);
  REQUIRE(read.size() == step.size());
  for (std::size_t i = 0; i < step.size(); ++i) {
    CHECK(read[i].kind == step[i].kind);
    CHECK(read[i].name == step[i].name);
    CHECK(read[i].seconds == step[i].seconds);
    CHECK(read[i].bytes == step[i].bytes);
    CHECK(read[i].bucket == step[i].bucket);
  }
}

TEST_CASE("simulation: a line that is no launch is named") {
  for (const char* const bad : {"wish 1 0 -1 k", "kernel x 0 -1 k", "kernel 1 0 -1", ""}) {
    std::istringstream file(std::string("kernel 1 0 -1 k\n") + bad + "\n");
    CHECK_THROWS_WITH_AS(bench::read_launches(file), doctest::Contains("line 2 is not a launch"),
                         std::runtime_error);
  }
}
