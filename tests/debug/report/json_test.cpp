#include <doctest/doctest.h>
#include <sinter/debug/report/json.hpp>

#include <limits>

#include "debug/report/json_value.hpp"

using namespace testing;
using namespace sinter::detail::debug;

TEST_CASE("report json: objects have their members in order, and are read back") {
  const std::string text = JsonObject()
                               .add("a", std::int64_t{-3})
                               .add("b", 0.25)
                               .add_flag("c", true)
                               .add_text("d", "\"x\"\n\t\\")
                               .add("e", json_numbers({1, 2}))
                               .str();
  CHECK(text.substr(0, 28) == "{\"a\": -3, \"b\": 0.25, \"c\": tr");
  const Json read = JsonReader::value(text + "\n");
  CHECK(read["a"].integer() == -3);
  CHECK(read["b"].number() == 0.25);
  CHECK(read["c"].text == "true");
  CHECK(read["d"].text == "\"x\"\n\t\\");
  CHECK(read["e"][1].integer() == 2);
}

TEST_CASE("report json: what is no number is null") {
  CHECK(json_number(std::numeric_limits<double>::infinity()) == "null");
  CHECK(json_number(0.1) == "0.1");
}

TEST_CASE("report json: bytes that are not UTF-8 are replaced") {
  CHECK(json_utf8("gr\xc3\xb6\xc3") == "\"gr\xc3\xb6?\"");
  CHECK(json_utf8("\xff\xfe") == "\"??\"");
}

TEST_CASE("report json: equal strings share a number") {
  StringTable table;
  CHECK(table.index("a") == 0);
  CHECK(table.index("b") == 1);
  CHECK(table.index("a") == 0);
  CHECK(table.json() == "[\"a\", \"b\"]");
}
