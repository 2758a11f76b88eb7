#include <doctest/doctest.h>
#include <sinter/schedule/tile/merge_order.hpp>

#include "lowered.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using lowered_programs::product;
using programs::Program;

namespace {

// A product, rows of it and a product of both; another product of the first, and an independent
// one.
struct Five {
  Program p{};
  Value a = product(p, p.input({8, 8}), p.input({8, 8}));
  Value rows = p.softmax(a);
  Value both = product(p, a, p.build.permute(rows, {1, 0}));
  Value other = product(p, p.input({8, 8}), p.input({8, 8}));
  Value late = product(p, a, p.input({8, 8}));
  Vector<LoweredKernel> kernels = lowered_programs::lowered(p, {both, other, late});

  // The kernel that writes `value`.
  std::size_t operator[](Value value) const {
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      if (kernels[k].nodes.back() == value.node) return k;
    }
    return kernels.size();
  }
};

}  // namespace

TEST_CASE(
    "merge order: a kernel that has to run between two keeps them apart until it is merged too") {
  const Five five;
  MergeOrder units(five.kernels);
  const std::size_t a = five[five.a], rows = five[five.rows], both = five[five.both];
  CHECK_FALSE(units.may_merge(a, both));
  CHECK_FALSE(units.may_merge(both, a));
  CHECK(units.may_merge(a, rows));
  units.merge(a, rows);
  CHECK(units.may_merge(a, both));
}

TEST_CASE("merge order: a merged unit has the dependences of all its kernels") {
  const Five five;
  MergeOrder units(five.kernels);
  const std::size_t a = five[five.a], rows = five[five.rows], both = five[five.both];
  const std::size_t other = five[five.other], late = five[five.late];
  REQUIRE(units.may_merge(late, rows));  // they are independent
  units.merge(late, rows);
  CHECK_FALSE(units.may_merge(a, both));
  CHECK(units.may_merge(a, late));
  REQUIRE(units.may_merge(both, other));
  units.merge(both, other);
  CHECK(units.may_merge(both, late));
  CHECK_FALSE(units.may_merge(both, a));
  units.merge(a, late);
  CHECK(units.may_merge(both, a));
}
