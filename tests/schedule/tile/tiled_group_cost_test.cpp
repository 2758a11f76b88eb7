#include <doctest/doctest.h>
#include <sinter/schedule/tile/tiled_group_cost.hpp>
#include <sinter/schedule/tile/tiled_groups.hpp>

#include "lowered.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using lowered_programs::lowered;
using lowered_programs::product;
using programs::Program;

TEST_CASE("tiled groups: a large factor that few rows share is not profitable") {
  for (const std::int64_t rows : {128, 4096}) {
    Program p;
    const Value x = p.input({rows, 512});
    const auto kernels = lowered(p, {p.softmax(product(p, x, p.input({512, 2048})))});
    CHECK(create_tiled_groups(p.graph, kernels, {}).size() == (rows == 4096 ? 1 : 0));
  }
}

TEST_CASE("tiled groups: a factor that all outer rows share is packed once") {
  Program p;
  const Value weight = p.input({32, 24}), x = p.input({4, 24, 40});
  const Value y = p.build.dot_general(weight, x, {.lhs_contract = {1}, .rhs_contract = {1}});
  CHECK(create_tiled_groups(p.graph, lowered(p, {p.softmax(p.build.permute(y, {1, 0, 2}))}), {})
            .empty());
  Program q;
  const Value own = q.build.dot_general(
      q.input({4, 32, 24}), q.input({4, 24, 40}),
      {.lhs_batch = {0}, .rhs_batch = {0}, .lhs_contract = {2}, .rhs_contract = {1}});
  CHECK(create_tiled_groups(q.graph, lowered(q, {q.softmax(own)}), {}).size() == 1);
}

TEST_CASE("tiled groups: few long rows are not worth packing a deep factor again for each tile") {
  for (const std::int64_t rows : {8, 64, 4096}) {
    Program p;
    const Value rows_of = p.softmax(p.input({rows, 1 << 16}));
    const auto kernels = lowered(p, {product(p, rows_of, p.input({1 << 16, 147}))});
    CHECK(create_tiled_groups(p.graph, kernels, {}).size() == (rows == 64 ? 0 : 1));
  }
}
