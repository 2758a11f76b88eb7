#include <doctest/doctest.h>
#include <sinter/compile/unit/module.hpp>
#include <sinter/runtime/host/profiler.hpp>
#include <sinter/schedule/ir/plan.hpp>

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::runtime;

TEST_CASE("profiler: stop() returns the runs and spans once") {
  KernelProfiler& watch = KernelProfiler::process();
  CHECK_FALSE(KernelProfiler::is_on());
  REQUIRE(watch.start());
  CHECK(KernelProfiler::is_on());
  CHECK_FALSE(watch.start());
  const std::size_t first = watch.add_run({.kernel = "a", .bytes_read = 8});
  const std::size_t second = watch.add_run({.kernel = "b"});
  watch.add_span({second, 1, 30, 40});
  watch.add_span({first, 0, 10, 20});
  const KernelTrace seen = watch.stop();
  CHECK_FALSE(KernelProfiler::is_on());
  REQUIRE(seen.runs.size() == 2);
  CHECK(seen.runs[0].kernel == "a");
  CHECK(seen.runs[0].bytes_read == 8);
  REQUIRE(seen.spans.size() == 2);
  CHECK(seen.spans[0].run == 1);
  CHECK(seen.spans[0].thread == 1);
  CHECK(seen.spans[1].end == 20);
  CHECK(watch.stop().runs.empty());
}

TEST_CASE("profiler: a run of an earlier profile does not count in a later one") {
  KernelProfiler& watch = KernelProfiler::process();
  REQUIRE(watch.start());
  const std::size_t old = watch.add_run({.kernel = "old"});
  CHECK(watch.stop().runs.size() == 1);
  const std::size_t unwatched = watch.add_run({.kernel = "unwatched"});
  REQUIRE(watch.start());
  const std::size_t fresh = watch.add_run({.kernel = "fresh"});
  watch.add_span({old, 0, 1, 2});
  watch.add_span({unwatched, 0, 1, 2});
  watch.add_span({fresh, 0, 3, 4});
  const KernelTrace seen = watch.stop();
  REQUIRE(seen.runs.size() == 1);
  REQUIRE(seen.spans.size() >= 1);
  CHECK(seen.spans.back().start == 3);
  for (const KernelSpan& part : seen.spans) CHECK(part.start == 3);
}

TEST_CASE("profiler: clear() discards earlier runs") {
  KernelProfiler& watch = KernelProfiler::process();
  REQUIRE(watch.start());
  const std::size_t early = watch.add_run({.kernel = "early"});
  watch.clear();
  watch.add_span({early, 0, 1, 2});
  watch.add_span({watch.add_run({.kernel = "late"}), 0, 3, 4});
  const KernelTrace seen = watch.stop();
  REQUIRE(seen.runs.size() == 1);
  CHECK(seen.runs[0].kernel == "late");
  REQUIRE(seen.spans.size() == 1);
  CHECK(seen.spans[0].start == 3);
}

TEST_CASE("profiler: adding spans does not allocate: spans without reserved memory are dropped") {
  KernelProfiler& watch = KernelProfiler::process();
  REQUIRE(watch.start());
  const std::size_t run = watch.add_run({.kernel = "a"});
  for (int i = 0; i < 100000; ++i) watch.add_span({run, 0, i, i});
  const KernelTrace seen = watch.stop();
  CHECK(seen.spans.size() >= 4096);
  CHECK(seen.spans.size() < 100000);
}

TEST_CASE("profiler: time is monotonic") {
  const std::int64_t before = monotonic_nanoseconds();
  CHECK(monotonic_nanoseconds() >= before);
}

TEST_CASE("profiler: a run is named after its kernel and the number of others in its launch") {
  const compiler::Module module(Vector<compiler::LoadedKernel>(1), {"add_mul"}, {});
  schedule::Launch launch{.kernel = 0};
  launch.bytes_read = Extent::symbol(0) * 4;
  launch.bytes_written = 8;
  const std::int64_t symbols[]{6};
  const KernelRun alone = describe_run(module, launch, symbols);
  CHECK(alone.kernel == "add_mul");
  CHECK(alone.bytes_read == 24);
  CHECK(alone.bytes_written == 8);
  launch.entries.resize(2);
  CHECK(describe_run(module, launch, symbols).kernel == "add_mul and 1 other");
  launch.entries.resize(3);
  CHECK(describe_run(module, launch, symbols).kernel == "add_mul and 2 others");
}
