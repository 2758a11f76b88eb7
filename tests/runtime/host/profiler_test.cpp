#include <doctest/doctest.h>
#include <sinter/compile/unit/module.hpp>
#include <sinter/runtime/host/profiler.hpp>
#include <sinter/schedule/ir/plan.hpp>

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::runtime;

TEST_CASE("watch: what is announced and noted is there at the end, and then forgotten") {
  Watch& watch = Watch::process();
  CHECK_FALSE(Watch::is_on());
  REQUIRE(watch.start());
  CHECK(Watch::is_on());
  CHECK_FALSE(watch.start());
  const std::size_t first = watch.announce({.kernel = "a", .bytes_read = 8});
  const std::size_t second = watch.announce({.kernel = "b"});
  watch.note({second, 1, 30, 40});
  watch.note({first, 0, 10, 20});
  const Watched seen = watch.stop();
  CHECK_FALSE(Watch::is_on());
  REQUIRE(seen.runs.size() == 2);
  CHECK(seen.runs[0].kernel == "a");
  CHECK(seen.runs[0].bytes_read == 8);
  REQUIRE(seen.parts.size() == 2);
  CHECK(seen.parts[0].run == 1);
  CHECK(seen.parts[0].thread == 1);
  CHECK(seen.parts[1].end == 20);
  CHECK(watch.stop().runs.empty());
}

TEST_CASE("watch: a run of an earlier watch is not counted in a later one") {
  Watch& watch = Watch::process();
  REQUIRE(watch.start());
  const std::size_t old = watch.announce({.kernel = "old"});
  CHECK(watch.stop().runs.size() == 1);
  const std::size_t unwatched = watch.announce({.kernel = "unwatched"});
  REQUIRE(watch.start());
  const std::size_t fresh = watch.announce({.kernel = "fresh"});
  watch.note({old, 0, 1, 2});
  watch.note({unwatched, 0, 1, 2});
  watch.note({fresh, 0, 3, 4});
  const Watched seen = watch.stop();
  REQUIRE(seen.runs.size() == 1);
  REQUIRE(seen.parts.size() >= 1);
  CHECK(seen.parts.back().start == 3);
  for (const WatchedPart& part : seen.parts) CHECK(part.start == 3);
}

TEST_CASE("watch: what was seen before it is cleared is not in the end") {
  Watch& watch = Watch::process();
  REQUIRE(watch.start());
  const std::size_t early = watch.announce({.kernel = "early"});
  watch.clear();
  watch.note({early, 0, 1, 2});
  watch.note({watch.announce({.kernel = "late"}), 0, 3, 4});
  const Watched seen = watch.stop();
  REQUIRE(seen.runs.size() == 1);
  CHECK(seen.runs[0].kernel == "late");
  REQUIRE(seen.parts.size() == 1);
  CHECK(seen.parts[0].start == 3);
}

TEST_CASE("watch: threads do not allocate: what there is no room for is dropped") {
  Watch& watch = Watch::process();
  REQUIRE(watch.start());
  const std::size_t run = watch.announce({.kernel = "a"});
  for (int i = 0; i < 100000; ++i) watch.note({run, 0, i, i});
  const Watched seen = watch.stop();
  CHECK(seen.parts.size() >= 4096);
  CHECK(seen.parts.size() < 100000);
}

TEST_CASE("watch: time does not go back") {
  const std::int64_t before = watch_time();
  CHECK(watch_time() >= before);
}

TEST_CASE("profiler: a launch is known by its kernel, and by how many others share it") {
  const compiler::Module module(std::vector<compiler::LoadedKernel>(1), {"add_mul"}, {});
  schedule::Launch launch{.kernel = 0};
  launch.bytes_read = Extent::symbol(0) * 4;
  launch.bytes_written = 8;
  const std::int64_t symbols[]{6};
  const WatchedRun alone = watched_run(module, launch, symbols);
  CHECK(alone.kernel == "add_mul");
  CHECK(alone.bytes_read == 24);
  CHECK(alone.bytes_written == 8);
  launch.entries.resize(2);
  CHECK(watched_run(module, launch, symbols).kernel == "add_mul and 1 other");
  launch.entries.resize(3);
  CHECK(watched_run(module, launch, symbols).kernel == "add_mul and 2 others");
}
