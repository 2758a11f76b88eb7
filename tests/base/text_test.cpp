#include <doctest/doctest.h>
#include <sinter/base/text.hpp>

#include <array>
#include <vector>

using namespace sinter;
using namespace sinter::detail;

namespace printed {
struct Thing {};
std::string to_string(Thing) { return "thing"; }
}  // namespace printed

TEST_CASE("text: joins strings, integers, lists and anything with to_string") {
  CHECK(text("v", 3, " in ", std::string("kernel")) == "v3 in kernel");
  CHECK(text("axes=", std::vector{0, 1}, std::vector<int>{}) == "axes=[0, 1][]");
  CHECK(text(printed::Thing{}, "s ", std::array{printed::Thing{}}) == "things [thing]");
  CHECK(text() == "");
}

TEST_CASE("text: numbers are the shortest that read back as the same, booleans are words") {
  CHECK(text(0.1, " ", 0.1f, " ", 1e300, " ", -0.0) == "0.1 0.1 1e+300 -0");
  CHECK(text(0.25L) == "0.25");
  CHECK(text(true, false) == "truefalse");
  CHECK(text(std::int64_t{-9223372036854775807}) == "-9223372036854775807");
}

TEST_CASE("text: lists nest") {
  CHECK(text(std::vector<std::vector<int>>{{1}, {}, {2, 3}}) == "[[1], [], [2, 3]]");
}

TEST_CASE("pad: fills up to the width, and always leaves a gap") {
  CHECK(pad("ab", 4) == "ab  ");
  CHECK(pad("abcd", 4) == "abcd ");
  CHECK(pad("abcdef", 4) == "abcdef ");
}

TEST_CASE("quantity: one is one, and none are several") {
  CHECK(quantity(1, "graph") == "1 graph");
  CHECK(quantity(std::size_t{0}, "graph") == "0 graphs");
  CHECK(quantity(std::int64_t{2}, "graph") == "2 graphs");
}
