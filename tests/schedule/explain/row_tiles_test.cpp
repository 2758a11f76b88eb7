#include <doctest/doctest.h>
#include <sinter/schedule/explain/row_tiles.hpp>
#include <sinter/schedule/gpu_target.hpp>

#include "lowered.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using lowered_programs::lowered;
using lowered_programs::product;
using programs::Program;

namespace {

const Target host, gpu = gpu_target();

// The reason between the last kernel and the one before it.
std::string reason(Program& p, Value output, Value between) {
  const Vector<LoweredKernel> kernels = lowered(p, {output});
  return RowTileReasons(p.graph, kernels, host).reason(between.node, kernels.size() - 1);
}

}  // namespace

TEST_CASE("row tile reasons: empty for one kernel, or without a product") {
  Program p;
  const Value x = p.input({32, 5}), soft = p.softmax(x);
  CHECK(reason(p, product(p, soft, p.input({5, 7})), soft) == "");
}

TEST_CASE("row tile reasons: two products without a reduction between them") {
  Program p;
  const Value first = product(p, p.input({32, 5}), p.input({5, 7}));
  CHECK(reason(p, product(p, first, p.input({7, 3})), first) ==
        "two products share a kernel only around a reduction of the widest rows");
}

TEST_CASE("row tile reasons: two products over the same elements") {
  Program p;
  const Value first = product(p, p.input({32, 5}), p.input({5, 7}));
  const Value second = product(p, p.input({32, 4}), p.input({4, 7}));
  CHECK(reason(p, p.build.mul(first, second), first) == "each product needs a kernel of its own");
}

TEST_CASE("row tile reasons: a product that sums over the computed rows") {
  Program p;
  const Value soft = p.softmax(p.input({32, 5})), y = p.input({32, 7});
  const Value sum = p.build.dot_general(soft, y, {.lhs_contract = {0}, .rhs_contract = {0}});
  CHECK(reason(p, sum, soft) == "it iterates over different rows");
}

TEST_CASE("row tile reasons: a gather is part of a row tile") {
  Program p;
  const Value first = product(p, p.input({32, 5}), p.input({5, 7}));
  const Value read = p.build.gather(p.input({9}), p.input({32, 7}, i64), 0);
  CHECK(reason(p, p.softmax(p.build.add(first, read)), first) == "");
}

TEST_CASE("row tile reasons: on a GPU, too few rows, and no streaming form") {
  const auto reason_of_streams = [](std::int64_t rows, bool is_result) {
    Program p;
    const Value q = p.input({2, rows, 8}), k = p.input({2, 4096, 8}), v = p.input({2, 4096, 8});
    const Value scores = p.build.dot_general(q, k, {{0}, {0}, {2}, {2}});
    const Value soft = p.softmax(scores);
    const Value out = p.build.dot_general(soft, v, {{0}, {0}, {2}, {1}});
    const Vector<LoweredKernel> kernels =
        lowered(p, is_result ? Vector<Value>{out, soft} : Vector<Value>{out});
    return RowTileReasons(p.graph, kernels, gpu).reason(soft.node, kernels.size() - 1);
  };
  CHECK(
      reason_of_streams(8, false) ==
      "it has too few rows to fill a GPU, since each row iterates over all columns of the product");
  CHECK(reason_of_streams(4096, true) == "no streaming GPU kernel computes both");
}
