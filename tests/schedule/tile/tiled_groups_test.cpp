#include <doctest/doctest.h>
#include <sinter/schedule/gpu_target.hpp>
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

TEST_CASE("tiled groups: rows of different lengths form a group, without a product too") {
  for (const std::int64_t rows : {3, 32}) {
    Program p;
    const Value first = p.build.reduce(Op::sum, p.input({rows, 5}), {1});
    const Value second = p.build.reduce(Op::max, p.input({rows, 7}), {1});
    const Vector<LoweredKernel> kernels = lowered(p, {p.build.mul(first, second)});
    CHECK(kernels.size() == 2);
    CHECK(create_tiled_groups(p.graph, kernels, {}).size() == (rows == 32 ? 1 : 0));
  }
}

TEST_CASE("tiled groups: a single kernel, and chains of large products, form no group") {
  Program p;
  CHECK(create_tiled_groups(p.graph, lowered(p, {p.softmax(p.input({32, 5}))}), {}).empty());
  Program q;
  const Value hidden = product(q, q.input({64, 1024}), q.input({1024, 1024}));
  const Value y = product(q, q.apply(Op::tanh, hidden), q.input({1024, 1024}));
  CHECK(create_tiled_groups(q.graph, lowered(q, {y}), {}).empty());
}

namespace {

// Why the last kernel is not fused with the one that computes `between`.
std::string refusal(Program& p, const Vector<Value>& outputs, Value between,
                    const Target& target = {}) {
  const Vector<LoweredKernel> kernels = lowered(p, outputs);
  Refusals refusals;
  const auto accepts = [](const TiledGroup&) { return false; };
  const AcceptsStreaming streams(accepts);
  create_tiled_groups(p.graph, kernels, target, target.streams() ? &streams : nullptr, &refusals);
  return std::string(refusals.reason_of_group(between.node, kernels.back().groups[0]));
}

}  // namespace

TEST_CASE("tiled groups: no reason for what is merged, or without a product") {
  Program p;
  const Value x = p.input({32, 5}), soft = p.softmax(x);
  CHECK(refusal(p, {product(p, soft, p.input({5, 7}))}, soft) == "");
  Program q;
  const Value first = product(q, q.input({32, 5}), q.input({5, 7}));
  const Value read = q.build.gather(q.input({9}), q.input({32, 7}, i64), 0);
  CHECK(refusal(q, {q.softmax(q.build.add(first, read))}, first) == "");  // a gather has its rows
}

TEST_CASE("tiled groups: the reason why a value is not computed by its reader") {
  Program p;
  const Value first = product(p, p.input({32, 5}), p.input({5, 7}));
  CHECK(refusal(p, {product(p, first, p.input({7, 3}))}, first) ==
        "two products share a kernel only around a reduction of the widest rows");
  Program q;
  const Value left = product(q, q.input({32, 5}), q.input({5, 7}));
  const Value right = product(q, q.input({32, 4}), q.input({4, 7}));
  CHECK(refusal(q, {q.build.mul(left, right)}, left) == "each product needs a kernel of its own");
  Program r;
  const Value soft = r.softmax(r.input({32, 5})), y = r.input({32, 7});
  const Value sum = r.build.dot_general(soft, y, {.lhs_contract = {0}, .rhs_contract = {0}});
  CHECK(refusal(r, {sum}, soft) == "it iterates over different rows");
}

TEST_CASE("tiled groups: the reason on a GPU: too few rows, or no streaming form") {
  const auto of_attention = [](std::int64_t rows) {
    Program p;
    const Value q = p.input({2, rows, 8}), k = p.input({2, 4096, 8}), v = p.input({2, 4096, 8});
    const Value scores = p.build.dot_general(q, k, {{0}, {0}, {2}, {2}});
    const Value soft = p.softmax(scores);
    return refusal(p, {p.build.dot_general(soft, v, {{0}, {0}, {2}, {1}})}, soft, gpu_target());
  };
  CHECK(of_attention(8) ==
        "it has too few rows to fill a GPU, since each row iterates over all columns of the "
        "product");
  CHECK(of_attention(4096) == "no streaming GPU kernel computes both");
}
