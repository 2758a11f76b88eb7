#include <doctest/doctest.h>
#include <sinter/base/where.hpp>

#include <string>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("located: the conversion of an operand notes the line of the caller") {
  const auto line_of = [](Located<int> operand) { return operand.where.line(); };
  CHECK(line_of(3) == __LINE__);
}

TEST_CASE("where: prints as file and line, an unknown place as nothing") {
  const Where here = Where::current();
  const std::string expected = "where_test.cpp:" + std::to_string(here.line());
  const std::string printed = to_string(here);
  REQUIRE(printed.size() >= expected.size());
  CHECK(printed.substr(printed.size() - expected.size()) == expected);
  CHECK(to_string(Where{}) == "");
}
