#include <doctest/doctest.h>
#include <sinter/schedule/tile/merge_order.hpp>

#include "lowered.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using lowered_programs::product;
using programs::Program;

namespace {

// A product, rows of it and a product of both; a product of the first alone, and one of its own.
struct Five {
  Program p{};
  Value a = product(p, p.input({8, 8}), p.input({8, 8}));
  Value rows = p.softmax(a);
  Value both = product(p, a, p.build.permute(rows, {1, 0}));
  Value other = product(p, p.input({8, 8}), p.input({8, 8}));
  Value late = product(p, a, p.input({8, 8}));
  std::vector<Lowered> kernels = lowered_programs::lowered(p, {both, other, late});

  // The kernel that writes `value`.
  std::size_t operator[](Value value) const {
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      if (kernels[k].nodes.back() == value.node) return k;
    }
    return kernels.size();
  }
};

}  // namespace

TEST_CASE("block_units: those that read what a kernel wrote follow it") {
  const Five five;
  const auto followers = followers_of(five.kernels);
  REQUIRE(followers.size() == 5);
  CHECK(followers[five[five.a]].size() == 3);
  CHECK(followers[five[five.rows]] == std::vector<std::size_t>{five[five.both]});
  CHECK(followers[five[five.other]].empty());
}

TEST_CASE("block_units: what runs between two keeps them apart until it is part of them") {
  const Five five;
  Units units(five.kernels);
  const std::size_t a = five[five.a], rows = five[five.rows], both = five[five.both];
  CHECK_FALSE(units.may_join(a, both));
  CHECK_FALSE(units.may_join(both, a));
  CHECK(units.may_join(a, rows));
  units.join(a, rows);
  CHECK(units.may_join(a, both));
}

TEST_CASE("block_units: what was joined needs all that its parts need") {
  const Five five;
  Units units(five.kernels);
  const std::size_t a = five[five.a], rows = five[five.rows], both = five[five.both];
  const std::size_t other = five[five.other], late = five[five.late];
  REQUIRE(units.may_join(late, rows));  // which need nothing of each other
  units.join(late, rows);
  CHECK_FALSE(units.may_join(a, both));
  CHECK(units.may_join(a, late));
  REQUIRE(units.may_join(both, other));
  units.join(both, other);
  CHECK(units.may_join(both, late));
  CHECK_FALSE(units.may_join(both, a));
  units.join(a, late);
  CHECK(units.may_join(both, a));
}
