#include <doctest/doctest.h>
#include <sinter/base/error.hpp>
#include <sinter/base/text.hpp>
#include <sinter/symbol/extent/extent.hpp>
#include <sinter/symbol/extent/size_oracle.hpp>

#include <cstdio>
#include <limits>
#include <type_traits>

using namespace sinter;
using namespace sinter::detail;

namespace {

const Extent s0 = Extent::symbol(0);
const Extent s1 = Extent::symbol(1);

}  // namespace

TEST_CASE("extent: is 8 bytes, and numbers are plain arithmetic") {
  static_assert(sizeof(Extent) == 8);
  static_assert(std::is_trivially_copyable_v<Extent>);
  CHECK((Extent(6) * 7 - 2 + Extent(true)).number() == 41);
  CHECK((-Extent(5)).number() == -5);
  CHECK(floor_div(-7, 2).number() == -4);
  CHECK(mod(-7, 2).number() == 1);
  CHECK(ceil_div(7, 2).number() == 4);
  CHECK(min(3, Extent(4)).number() == 3);
  CHECK(max(3, Extent(4)).number() == 4);
  CHECK((Extent(7) / 2).number() == 3);
  CHECK((Extent(7) % 2).number() == 1);
  CHECK(Extent(5).value() == 5);
}

#pragma GCC diagnostic ignored "-Wformat"  // the compilers warn, and are right

TEST_CASE("extent: a number that a user forgets to convert prints as what it is") {
  char text[64];
  std::snprintf(text, sizeof(text), "%ld %ld", Extent(28), Extent(-3));
  CHECK(std::string(text) == "28 -3");
}

TEST_CASE("extent: numbers keep 63 bits, and what does not fit throws") {
  CHECK(Extent(Extent::max_number).number() == Extent::max_number);
  CHECK(Extent(-Extent::max_number - 1).number() == -Extent::max_number - 1);
  CHECK_THROWS_AS(Extent{std::numeric_limits<std::int64_t>::max()}, ValueError);
  CHECK_THROWS_AS(Extent{std::numeric_limits<std::uint64_t>::max()}, ValueError);
  CHECK_THROWS_AS(Extent(Extent::max_number) + 1, ValueError);
  CHECK_THROWS_AS(Extent(Extent::max_number) * 3, ValueError);
  CHECK_THROWS_AS(-Extent(Extent::max_number) - 2, ValueError);
  CHECK_THROWS_AS(floor_div(s0, 0), ValueError);
}

TEST_CASE("extent: what does not fit is said with its line") {
  const auto said = [](auto make) -> std::string {
    try {
      make();
    } catch (const ValueError& error) {
      return error.what();
    }
    return "";
  };
  const auto number = [] { return Extent(std::numeric_limits<std::int64_t>::max()); };
  CHECK(said(number).find("\n  size  9223372036854775807\n") != std::string::npos);
  CHECK(said(number).find(text("extent_test.cpp:", __LINE__ - 2)) != std::string::npos);
  const auto sum = [] { return Extent(Extent::max_number) + 1; };
  CHECK(said(sum).find("\n  size  4611686018427387904\n") != std::string::npos);
  CHECK(said(sum).find("\n  at ") == std::string::npos);  // not a line of the library
}

TEST_CASE("extent: equal expressions are the same, however they were made") {
  CHECK(same(s0 + s1, s1 + s0));
  CHECK(same((s0 + 1) * (s1 + 2), s0 * s1 + 2 * s0 + s1 + 2));
  CHECK(same(s0 + s1 - s1, s0));
  CHECK(same(s0 * 0, 0));
  CHECK(same(2 * s0 - s0 - s0, 0));
  CHECK(same(Extent::symbol(0), s0));
  CHECK(!same(Extent::symbol(0, {.min = 2}), s0));
}

TEST_CASE("extent: the range of extent 1 is 0") {
  CHECK(same(Extent::range(3, 1), 0));
  CHECK(Extent::range(3, s0).is_range());
  CHECK(same(Extent::range(3, s0).range_extent(), s0));
  CHECK(Extent::range(3, s0).id() == 3);
}

TEST_CASE("extent: what is known of a symbol is rounded to its multiples") {
  const Extent symbol = Extent::symbol(7, {.min = 3, .max = 30, .multiple_of = 8});
  CHECK(symbol.symbol_info() == SymbolInfo{8, 24, 8});
  CHECK_THROWS_AS(Extent(3).symbol_info(), InternalError);
  CHECK_THROWS_AS((s0 + 1).number(), InternalError);
}

TEST_CASE("extent: min and max take what is proven to be less") {
  CHECK(same(min(s0, s0 + 1), s0));
  CHECK(same(max(s0, s0 + 1), s0 + 1));
  CHECK(same(min(s0 + s1, 4 + s1), s1 + min(s0, 4)));
  CHECK(same(min(min(s0, s1), s0), min(s0, s1)));
  CHECK(same(max(s0, -3), s0));
  CHECK(to_string(min(64, s0)) == "min(s0, 64)");
}

namespace {

struct Answers final : SizeOracle {
  bool decide(Extent lhs, Relation relation, Extent rhs, Where where) override {
    asked = text(lhs, " ", to_string(relation), " ", rhs);
    line = where.line();
    return answer;
  }
  std::int64_t value(Extent extent, Where where) override {
    asked = symbolic_text(extent);
    line = where.line();
    return 12;
  }
  std::int64_t shown(Extent extent, Where where) override {
    asked = text("shown ", extent);
    line = where.line();
    return 12;
  }

  bool answer = true;
  std::string asked;
  unsigned line = 0;
};

struct Installed {
  explicit Installed(SizeOracle& oracle) { current_size_oracle() = &oracle; }
  ~Installed() { current_size_oracle() = nullptr; }
};

}  // namespace

TEST_CASE("comparison: asks only what cannot be decided, and names the user's line") {
  Answers oracle;
  const Installed installed(oracle);
  CHECK(s0 >= 0);
  CHECK(s0 != -1);
  CHECK(s0 < s0 + 1);
  CHECK(!(2 * s0 == 2 * s1 + 1));
  CHECK(Extent(3) == 3);
  CHECK(oracle.asked.empty());

  const bool equal = s0 == 4;
  CHECK(oracle.line == __LINE__ - 1);
  CHECK(equal);
  CHECK(oracle.asked == "s0 == 4");
  oracle.answer = false;
  const bool less = 4 < s0;
  CHECK(!less);
  CHECK(oracle.asked == "4 < s0");
  CHECK((s0 + 1).value() == 12);
  CHECK(oracle.asked == "s0 + 1");
}

TEST_CASE("comparison: outside of a recording an unknown size throws") {
  CHECK_THROWS_AS((void)(s0 == 4), ValueError);
  CHECK_THROWS_AS((void)s0.value(), ValueError);
}
