#include <doctest/doctest.h>
#include <sinter/schedule/tile/tiled_groups.hpp>

#include "lowered.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using lowered_programs::lowered;
using lowered_programs::product;
using programs::Program;

TEST_CASE("tiled groups: a product and the kernel that reads its rows share the rows") {
  Program p;
  const auto kernels = lowered(p, {p.softmax(product(p, p.input({32, 5}), p.input({5, 7})))});
  const Vector<TiledGroup> groups = create_tiled_groups(p.graph, kernels, {});
  REQUIRE(groups.size() == 1);
  REQUIRE(groups[0].members.size() == 2);
  for (const GroupMember& member : groups[0].members) {
    REQUIRE(member.rows.size() == 1);
    CHECK(same(member.rows[0].range_extent(), 32));
  }
}

TEST_CASE("tiled groups: a product with one element per row is a reduction of that row") {
  Program p;
  const auto with = [&](std::int64_t terms) {
    const Value x = p.input({8, 5, terms}), y = p.input({8, terms, 1}), z = p.input({8, 1, 6});
    const Value score = p.build.dot_general(x, y, {{0}, {0}, {2}, {1}});
    return p.build.dot_general(score, z, {{0}, {0}, {2}, {1}});
  };
  const auto found = create_tiled_groups(p.graph, lowered(p, {with(16)}), {});
  REQUIRE(found.size() == 1);
  CHECK(found[0].members.size() == 2);
  CHECK(found[0].members[0].rows.size() == 2);
  CHECK(create_tiled_groups(p.graph, lowered(p, {with(4096)}), {})
            .empty());  // a long sum needs its own kernel
}

TEST_CASE("tiled groups: rows before products form a group with them, however few they are") {
  for (const std::int64_t rows : {2, 8, 128, 4096}) {
    Program p;
    const Value x = p.softmax(p.input({rows, 512}));
    const Value y = product(p, x, p.input({512, 2048})), z = product(p, x, p.input({512, 64}));
    const auto found = create_tiled_groups(p.graph, lowered(p, {y, z}), {});
    REQUIRE(found.size() == 1);
    CHECK(found[0].members.size() == 3);
    // Rows that are written to memory are not rematerialized for each part of the columns.
    const auto kept = create_tiled_groups(p.graph, lowered(p, {x, y}), {});
    CHECK(kept.size() == (rows == 4096 ? 1 : 0));
  }
  for (const std::int64_t rows : {8, 256}) {  // Each outer row reads the factor.
    Program p;
    const Value x = p.softmax(p.input({4, rows, 512})), w = p.input({512, 2048});
    const Value y = p.build.dot_general(x, w, {.lhs_contract = {2}, .rhs_contract = {0}});
    CHECK(create_tiled_groups(p.graph, lowered(p, {y}), {}).size() == (rows == 256 ? 1 : 0));
  }
}

TEST_CASE("tiled groups: rows without a product, and chains of large products, form no group") {
  Program p;
  CHECK(create_tiled_groups(p.graph, lowered(p, {p.softmax(p.input({32, 5}))}), {}).empty());
  Program q;
  const Value hidden = product(q, q.input({64, 1024}), q.input({1024, 1024}));
  const Value y = product(q, q.apply(Op::tanh, hidden), q.input({1024, 1024}));
  CHECK(create_tiled_groups(q.graph, lowered(q, {y}), {}).empty());
}
