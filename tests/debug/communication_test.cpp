#include <doctest/doctest.h>
#include <sinter/debug/communication.hpp>
#include <sinter/graph/custom/host_work.hpp>
#include <sinter/runtime/host/profiler.hpp>
#include <sinter/sinter.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Reports a run of `work` from `start` to `end`, in microseconds.
void report_run(HostWork work, int thread, std::int64_t start, std::int64_t end) {
  static constexpr const char* names[] = {"kernel", "collective", "bucket", "wait"};
  auto& profiler = runtime::KernelProfiler::process();
  const std::size_t number =
      profiler.add_run({.kernel = names[static_cast<int>(work)], .lines = {}, .work = work});
  profiler.add_span({number, thread, 1000 * start, 1000 * end});
}

}  // namespace

TEST_CASE("communication: it is hidden while no caller waits for it") {
  const Profile seen = profile(
      [] {
        report_run(HostWork::background, 1000, 100, 140);  // alone from 100 to 120
        report_run(HostWork::compute, 0, 90, 120);
        report_run(HostWork::wait, 0, 120, 145);           // the copies from 140 on are no waiting
        report_run(HostWork::background, 1000, 145, 155);  // beside a kernel
        report_run(HostWork::compute, 0, 145, 160);
        report_run(HostWork::wait, 0, 160, 161);
        report_run(HostWork::collective, 0, 170, 180);
      },
      {.calls = 1, .warm_up = 0});
  const Communication shared = communication(seen);
  CHECK(shared.seconds == doctest::Approx(60e-6));
  CHECK(shared.exposed == doctest::Approx(30e-6));
  CHECK(shared.hidden() == doctest::Approx(0.5));
  CHECK(shared.collectives == 3);
  CHECK(shared.in_background == 2);
  CHECK(contains(to_string(seen),
                 "\ncommunication: 60 us each, 50% hidden; 3 collectives, 2 of them in the "
                 "background\n"));
  CHECK(contains(to_chrome_trace(seen), "\"args\": {\"name\": \"communication\"}"));
}

TEST_CASE(
    "communication: collectives at the same time count once, and none are told of without any") {
  const Profile both = profile(
      [] {
        report_run(HostWork::background, 1000, 100, 140);
        report_run(HostWork::collective, 0, 110, 150);
      },
      {.calls = 1, .warm_up = 0});
  const Communication shared = communication(both);
  CHECK(shared.seconds == doctest::Approx(50e-6));
  CHECK(shared.exposed == doctest::Approx(40e-6));
  const Profile none = profile([] { report_run(HostWork::compute, 0, 1, 2); }, {.calls = 1});
  CHECK(communication(none).collectives == 0);
  CHECK(communication(none).hidden() == 0);
  CHECK_FALSE(contains(to_string(none), "communication"));
}
