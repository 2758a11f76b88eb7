#include <doctest/doctest.h>
#include <sinter/debug/profile_facts.hpp>

#include "debug/report/json_value.hpp"
#include "jit/support.hpp"

using namespace testing;
using namespace sinter::detail::debug;

TEST_CASE("report profile: the events of the call of median length") {
  Profile profile;
  profile.kernels.push_back(
      {.name = "k", .runs = 3, .least = 0.05, .seconds = 0.3, .bytes_read = 30, .lines = {}});
  profile.calls = {{0, 1}, {10, 13}, {20, 22}};
  profile.events = {{0, 0, 0.5, 0.6}, {0, 0, 11, 12}, {0, 1, 20.5, 21}};
  profile.roof = {.threads = 2, .bytes_per_second = 1000, .operations_per_second = 1000};
  StringTable strings;
  const Json read = JsonReader::value(profile_json(&profile, strings) + "\n");
  CHECK(read["calls"].integer() == 3);
  CHECK(read["seconds"].number() == doctest::Approx(6));
  CHECK(read["call"].number() == doctest::Approx(2e6));
  REQUIRE(read["events"].list.size() == 1);
  CHECK(read["events"][0][1].integer() == 1);
  CHECK(read["events"][0][3].number() == doctest::Approx(0.5e6));
  CHECK(read["kernels"][0]["least"].number() == doctest::Approx(0.05));
  CHECK(read["kernels"][0]["roof"].number() ==
        doctest::Approx(share_of_roof(profile.kernels[0], profile.roof)));
}

TEST_CASE("report profile: null without calls") {
  StringTable strings;
  const Profile none;
  CHECK(profile_json(nullptr, strings) == "null");
  CHECK(profile_json(&none, strings) == "null");
}
