#include <doctest/doctest.h>
#include <sinter/base/where.hpp>

#include <string>

using namespace sinter;

TEST_CASE("located: the conversion of an operand notes the line of the caller") {
  const auto line_of = [](Located<int> operand) { return operand.where.line(); };
  CHECK(line_of(3) == __LINE__);
}

TEST_CASE("where: notes the function that the user called, not those that it is made of") {
  const Where here = Where::current();
  CHECK(name_at(here, "gather") == "gather");
  const Where outer = named(here, "index_select");
  CHECK(name_at(outer, "gather") == "index_select");
  CHECK(name_at(named(outer, "take"), "gather") == "index_select");
  CHECK(to_string(outer) == to_string(here));
  CHECK(word_of(outer) == word_of(here));
  const std::source_location place = outer;  // as which it may be passed on
  CHECK(Where(place).line() == here.line());
}

TEST_CASE("where: prints as file and line, an unknown place as nothing") {
  const Where here = Where::current();
  const std::string expected = "where_test.cpp:" + std::to_string(here.line());
  const std::string printed = to_string(here);
  REQUIRE(printed.size() >= expected.size());
  CHECK(printed.substr(printed.size() - expected.size()) == expected);
  CHECK(to_string(Where{}) == "");
}
