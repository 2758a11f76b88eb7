// Prices of collectives: their formulas at sizes that are computed by hand, and their limits.

#include <doctest/doctest.h>

#include "../../../bench/dist/gpus.hpp"

using bench::Gpus;
using doctest::Approx;

namespace {

// Round numbers.
constexpr Gpus simple{
    .node = 4, .nvlink = 100, .network = 50, .ring = {1, 0.25, 2, 1}, .tree = {3, 0.5, 4, 0.5}};

}  // namespace

TEST_CASE("gpus: one GPU has nobody to talk to") {
  CHECK(Gpus().seconds("all_reduce", 1e9, 1) == 0);
}

TEST_CASE("gpus: a ring in a node, and over two") {
  // 2 * 3 steps of NVLink; each GPU sends and receives 2 * 3/4 of the bytes
  CHECK(simple.ring_seconds(2, 800, 4) == Approx(1 + 6 * 0.25 + 1.5 * 800 / 100));
  // 2 * 7 steps, of which 2 are between nodes, at the bandwidth of the network
  CHECK(simple.ring_seconds(2, 800, 8) == Approx(1 + 12 * 0.25 + 2 * 2 + 1.75 * 800 / 50));
  CHECK(simple.ring_seconds(1, 800, 8) == Approx(1 + 6 * 0.25 + 1 * 2 + 0.875 * 800 / 50));
}

TEST_CASE("gpus: a tree over nodes grows with the logarithm of their number") {
  // Up and down 3 GPUs of a node and log2(8) = 3 nodes; the bytes go up and down
  CHECK(simple.tree_seconds(100, 32) == Approx(3 + 2 * (3 * 0.5 + 3 * 4) + 2 * 100 / (50 * 0.5)));
  CHECK(simple.tree_seconds(0, 64) - simple.tree_seconds(0, 32) == Approx(2 * 4));
  CHECK(simple.tree_seconds(0, 36) == simple.tree_seconds(0, 64));  // 9 nodes are as deep as 16
}

TEST_CASE("gpus: the faster algorithm is chosen, and gathers have the ring only") {
  const Gpus gpus;
  CHECK(gpus.seconds("all_reduce", 25e6, 8) == gpus.ring_seconds(2, 25e6, 8));
  CHECK(gpus.seconds("all_reduce", 25e6, 4096) == gpus.tree_seconds(25e6, 4096));
  CHECK(gpus.seconds("all_gather", 25e6, 4096) == gpus.ring_seconds(1, 25e6, 4096));
  CHECK(gpus.seconds("reduce_scatter", 25e6, 16) == gpus.ring_seconds(1, 25e6, 16));
}

TEST_CASE("gpus: without latency, of any bandwidth, a collective takes no time") {
  const Gpus ideal{.nvlink = 1e300, .network = 1e300, .ring = {0, 0, 0, 1}, .tree = {0, 0, 0, 1}};
  for (const int count : {2, 8, 64, 4096}) {
    CHECK(ideal.seconds("all_reduce", 1e9, count) < 1e-200);
  }
}
