#include <doctest/doctest.h>
#include <sinter/schedule/explain/row_tiles.hpp>

#include "lowered.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using lowered_programs::lowered;
using lowered_programs::product;
using programs::Program;

namespace {

// Of the last kernel and the one before it.
std::string reason(Program& p, Value output, Value between) {
  const std::vector<Lowered> kernels = lowered(p, {output});
  return BlockReasons(p.graph, kernels).reason(between.node, kernels.size() - 1);
}

}  // namespace

TEST_CASE("block reasons: what is one kernel, or has no product, needs none") {
  Program p;
  const Value x = p.input({32, 5}), soft = p.softmax(x);
  CHECK(reason(p, product(p, soft, p.input({5, 7})), soft) == "");
}

TEST_CASE("block reasons: two products without a reduction between them") {
  Program p;
  const Value first = product(p, p.input({32, 5}), p.input({5, 7}));
  CHECK(reason(p, product(p, first, p.input({7, 3})), first) ==
        "two products share a kernel only around a reduction whose row is the widest");
}

TEST_CASE("block reasons: two products over the same elements") {
  Program p;
  const Value first = product(p, p.input({32, 5}), p.input({5, 7}));
  const Value second = product(p, p.input({32, 4}), p.input({4, 7}));
  CHECK(reason(p, p.build.mul(first, second), first) == "each product is a kernel of its own");
}

TEST_CASE("block reasons: a product that sums over the rows that were computed") {
  Program p;
  const Value soft = p.softmax(p.input({32, 5})), y = p.input({32, 7});
  const Value sum = p.build.dot_general(soft, y, {.lhs_contract = {0}, .rhs_contract = {0}});
  CHECK(reason(p, sum, soft) == "it runs over other rows than those that are computed");
}

TEST_CASE("block reasons: what reads where only the run knows is part of a block") {
  Program p;
  const Value first = product(p, p.input({32, 5}), p.input({5, 7}));
  const Value read = p.build.gather(p.input({9}), p.input({32, 7}, i64), 0);
  CHECK(reason(p, p.softmax(p.build.add(first, read)), first) == "");
}

TEST_CASE("block reasons: of a GPU, rows that are few, and what no kernel streams over") {
  const auto reason_of_streams = [](std::int64_t rows, bool is_result) {
    Program p;
    const Value q = p.input({2, rows, 8}), k = p.input({2, 4096, 8}), v = p.input({2, 4096, 8});
    const Value scores = p.build.dot_general(q, k, {{0}, {0}, {2}, {2}});
    const Value soft = p.softmax(scores);
    const Value out = p.build.dot_general(soft, v, {{0}, {0}, {2}, {1}});
    const std::vector<Lowered> kernels =
        lowered(p, is_result ? std::vector<Value>{out, soft} : std::vector<Value>{out});
    return BlockReasons(p.graph, kernels, true).reason(soft.node, kernels.size() - 1);
  };
  CHECK(reason_of_streams(8, false) ==
        "its rows are too few to keep a GPU busy, each with all columns of the product");
  CHECK(reason_of_streams(4096, true) == "no kernel of a GPU streams over what the two compute");
}
