// test: deep
// The tiles that the cost model chooses for products on an H200.

#include <doctest/doctest.h>
#include <sinter/codegen/cuda/product/tile.hpp>

#include <cstdint>
#include <vector>

using namespace sinter;
using namespace sinter::detail;
using codegen::CudaMethod;

TEST_CASE("cuda_tile: large products fill the multiprocessors of an H200 in whole waves") {
  struct Expected {
    std::int64_t rows, columns;
    int high, wide;
    std::int64_t blocks, rounds;  // of 132 blocks at most
  };
  const std::vector<Expected> all{{8192, 8192, 128, 128, 4096, 32}, {4096, 4096, 128, 128, 1024, 8},
                                  {2048, 2048, 128, 128, 256, 2},   {1024, 1024, 64, 128, 128, 1},
                                  {512, 512, 32, 64, 128, 1},       {128, 4096, 64, 64, 128, 1},
                                  {16, 4096, 16, 64, 64, 1}};
  for (const Expected& one : all) {
    INFO(one.rows, " x ", one.columns);
    const codegen::CudaTile tile =
        codegen::cuda_tile(CudaMethod::mma, f32, 1, one.rows, one.columns, 132);
    const auto parts = [](std::int64_t of, int part) { return (of + part - 1) / part; };
    const std::int64_t blocks = parts(one.rows, tile.rows) * parts(one.columns, tile.columns);
    CHECK(tile.rows == one.high);
    CHECK(tile.columns == one.wide);
    CHECK(blocks == one.blocks);
    CHECK((blocks + 131) / 132 == one.rounds);
  }
}
