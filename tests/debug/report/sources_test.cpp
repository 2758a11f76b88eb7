#include <doctest/doctest.h>
#include <sinter/debug/report/sources.hpp>

#include "debug/report/json_value.hpp"
#include "jit/support.hpp"

using namespace testing;
using sinter::detail::debug::excerpts_json;

TEST_CASE("report sources: the lines around each place, each once") {
  const std::string file = std::string(SINTER_SOURCE_DIR) + "/tests/debug/report/sources_test.cpp";
  const Json read =
      JsonReader::value(excerpts_json({file + ":2", file + ":4", "", "no line"}) + "\n");
  const std::vector<Json>& lines = read[file].list;
  REQUIRE(lines.size() == 8);
  CHECK(lines[0][0].integer() == 1);
  CHECK(lines[0][1].text == "#include <doctest/doctest.h>");
  CHECK(lines[7][0].integer() == 8);
}

TEST_CASE("report sources: files that are not there are left out") {
  CHECK(excerpts_json({"/nonexistent/model.cpp:14"}) == "{}");
}
