#include <doctest/doctest.h>
#include <sinter/base/lines.hpp>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("lines: each once, in the order in which they came, and none that is not known") {
  const Where first = Where::current();
  const Where second = Where::current();
  std::vector<Where> lines;
  add_line(lines, second);
  add_line(lines, Where{});
  add_lines(lines, {first, second, first});
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].line() == second.line());
  CHECK(lines[1].line() == first.line());
}

TEST_CASE("lines: two columns of a line are one line") {
  std::vector<Where> lines;
  add_lines(lines, {Where::current(), Where::current()});
  CHECK(lines.size() == 1);
}
