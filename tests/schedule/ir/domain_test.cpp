#include <doctest/doctest.h>
#include <sinter/schedule/ir/domain.hpp>

#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;

TEST_CASE("domain: the axes of a space are those of the grid and those of the row") {
  const FusionGroup rows{.kind = GroupKind::rows,
                         .space = {4, 5, 6},
                         .ranges = ranges_over({4, 5, 6}),
                         .reduced = mask_of({1})};
  const Graph graph;
  CHECK(text(grid_shape(rows)) == "[4, 6]");
  CHECK(text(grid_ranges(rows)) == "[r0, r2]");
  CHECK(text(row_shape(graph, rows)) == "[5]");
  CHECK(text(row_ranges(graph, rows)) == "[r1]");
  CHECK(text(listed_axes({4, 5, 6}, mask_of({0, 2})), other_axes({4, 5, 6}, 0b101)) == "[4, 6][5]");
}

TEST_CASE("domain: the row of a product goes over its contracted axes") {
  programs::Program p;
  const Value x = p.input({2, 4, 3}), y = p.input({2, 3, 5});
  const Value product = p.build.dot_general(
      x, y, {.lhs_batch = {0}, .rhs_batch = {0}, .lhs_contract = {2}, .rhs_contract = {1}});
  const Shape space = p.build.shape(product);
  const FusionGroup group{.kind = GroupKind::product,
                          .space = space,
                          .ranges = ranges_over(space),
                          .members = {product.node}};
  CHECK(text(grid_shape(group)) == "[2, 4, 5]");
  CHECK(text(row_shape(p.graph, group)) == "[3]");
  CHECK(text(row_ranges(p.graph, group)) == "[r3]");
}

TEST_CASE(
    "domain: a large space with few grid points is not parallel; unknown sizes are assumed to be") {
  const auto parallel = [](const Shape& space, std::uint32_t reduced) {
    return is_parallel({.kind = GroupKind::rows,
                        .space = space,
                        .ranges = ranges_over(space),
                        .reduced = reduced});
  };
  CHECK(parallel({1024, 1024}, 0b10));
  CHECK_FALSE(parallel({1024, 1024}, 0b11));
  CHECK(parallel({32, 32}, 0b11));
  CHECK(parallel({Extent::symbol(0), 1024}, 0b11));
  CHECK_FALSE(parallel({Extent::symbol(0, {.max = 4096}), 1024}, 0b11));
}
