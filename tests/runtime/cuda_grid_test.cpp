#include <doctest/doctest.h>
#include <sinter/runtime/cuda_grid.hpp>

#include <vector>

using namespace sinter;

TEST_CASE("cuda_grid: sizes are of the call, and the kernel's own symbols decide the grid") {
  const Extent n = Extent::symbol(0), m = Extent::symbol(1), own = Extent::symbol(5);
  schedule::Plan plan;
  plan.kernels.resize(1);
  plan.kernels[0].symbols = {own};
  plan.launches.resize(1);
  plan.launches[0].sizes = {n * m};
  const runtime::CudaGrid grid{.blocks = ceil_div(own, 8), .threads = 32, .shared_bytes = own * 4};
  const std::vector<std::int64_t> symbols{6, 7};
  const runtime::CudaGridInCall now = runtime::grid_in_call(plan, plan.launches[0], grid, symbols);
  CHECK(now.sizes == std::vector<long>{42});
  CHECK(now.blocks == 6);
  CHECK(now.shared_bytes == 168);
}

TEST_CASE("cuda_grid: there are no more blocks than a grid may have") {
  schedule::Plan plan;
  plan.kernels.resize(1);
  plan.launches.resize(1);
  const runtime::CudaGrid grid{.blocks = Extent(std::int64_t{1} << 40)};
  CHECK(runtime::grid_in_call(plan, plan.launches[0], grid, {}).blocks == 0x7fffffffu);
}
