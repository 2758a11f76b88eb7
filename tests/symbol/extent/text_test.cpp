#include <doctest/doctest.h>
#include <sinter/symbol/extent/text.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

const Extent n = Extent::symbol(0, {.min = 1});
const Extent any = Extent::symbol(1, {.min = -unbounded});
const Extent r = Extent::range(1, 64);

std::string named(Extent variable) { return variable.is_symbol() ? "batch" : "i"; }

}  // namespace

TEST_CASE("to_string: prints sums, products and divisions as people write them") {
  CHECK(to_string(Extent(-3)) == "-3");
  CHECK(to_string(4 * n + r / 8) == "4*s0 + r1//8");
  CHECK(to_string(15 - r) == "15 - r1");
  CHECK(to_string(-1 * r) == "-r1");
  CHECK(to_string(-1 * r - n - 4) == "-s0 - r1 - 4");
  CHECK(to_string(3 + r - n) == "r1 - s0 + 3");
  CHECK(to_string(n * r - 2 * n - 7) == "s0*r1 - 2*s0 - 7");
  CHECK(to_string((r + 3) / 4 % 8) == "((r1 + 3)//4)%8");
  CHECK(to_string(3 * (r % 7)) == "3*(r1%7)");
  CHECK(to_string(any / (2 * n)) == "s1//(2*s0)");
  CHECK(to_string(min(r + 3, n)) == "min(s0, r1 + 3)");
  CHECK(to_string(4 * n + r / 8, named) == "4*batch + i//8");
}

TEST_CASE("c_text: is an expression of C, in parentheses where it needs them") {
  CHECK(c_text(7, named) == "7");
  CHECK(c_text(-7, named) == "(-7)");
  CHECK(c_text(n, named) == "batch");
  CHECK(c_text(4 * n + r / 8, named) == "(4*batch + i / 8)");
  CHECK(c_text(3 * (r % 7), named) == "(3*(i % 7))");
  CHECK(c_text(max(n, 3), named) == "(batch > 3 ? batch : 3)");
}

TEST_CASE("c_text: quotients, remainders, minima and maxima can have names") {
  const auto part = [](Extent extent) { return same(extent, max(n, 3)) ? "most" : ""; };
  CHECK(c_text(4 * max(n, 3) + r, named, part) == "(i + 4*most)");
  CHECK(c_text(min(max(n, 3), 9), named, part) == "(most < 9 ? most : 9)");
  CHECK(c_text(max(n, 4), named, part) == "(batch > 4 ? batch : 4)");
}

TEST_CASE("c_text: sizes that may be 0 divide as 1, for no element is there then") {
  const Extent size = Extent::symbol(2, {.min = 0, .max = 64});
  CHECK(c_text(r / size, default_name) == "(r1 / (s2 > 0 ? s2 : 1))");
  CHECK(c_text(r % (5 * size), default_name) == "(r1 % ((5*s2) > 0 ? (5*s2) : 1))");
}

TEST_CASE("c_text: dividends that may be negative round down all the same") {
  CHECK(c_text(any / 4, default_name) == "(s1 >= 0 ? s1 / 4 : -((4 - 1 - s1) / 4))");
  CHECK(c_text(any % 4, default_name) == "((s1 % 4 + 4) % 4)");
  CHECK(c_text((n - 1 - Extent::range(0, n)) / 4, default_name) == "((s0 - r0 + 3) / 4 - 1)");
}
