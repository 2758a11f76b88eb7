// test: deep
#include <doctest/doctest.h>
#include <sinter/runtime/cuda/launch.hpp>

#include <vector>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("cuda_launch: the sizes of a call give the grid, by the kernel's own symbols") {
  const Extent n = Extent::symbol(0), m = Extent::symbol(1), own = Extent::symbol(5);
  schedule::Plan plan;
  plan.kernels.resize(1);
  plan.kernels[0].symbols = {own};
  plan.launches.resize(1);
  plan.launches[0].sizes = {n * m};
  const runtime::CudaGrid grid{.blocks = ceil_div(own, 8), .threads = 32, .shared_bytes = own * 4};
  const std::vector<std::int64_t> symbols{6, 7};
  const runtime::CudaLaunchConfig now =
      runtime::launch_config(plan, plan.launches[0], grid, symbols);
  CHECK(now.sizes == std::vector<long>{42});
  CHECK(now.blocks == 6);
  CHECK(now.shared_bytes == 168);
}

TEST_CASE("cuda_launch: the number of blocks is limited") {
  schedule::Plan plan;
  plan.kernels.resize(1);
  plan.launches.resize(1);
  const runtime::CudaGrid grid{.blocks = Extent(std::int64_t{1} << 40)};
  CHECK(runtime::launch_config(plan, plan.launches[0], grid, {}).blocks == 0x7fffffffu);
}

TEST_CASE(
    "cuda_launch: the table of a batched launch has the first block and arguments of each entry") {
  const Extent n = Extent::symbol(0), own = Extent::symbol(5);
  schedule::Plan plan;
  plan.kernels.resize(1);
  plan.kernels[0].symbols = {own};
  plan.kernels[0].arguments = {{f32, schedule::Access::read, own},
                               {f32, schedule::Access::write, own}};
  plan.kernels[0].batch_capacity = 4;
  plan.launches.resize(1);
  schedule::Launch& launch = plan.launches[0];
  launch.sizes = {n, 100, 0};
  launch.entries = {{0, 2, 1}, {0, 2, 1}, {0, 2, 1}};
  launch.buffers = {0, 1, 2, 3, 4, 5};
  const runtime::CudaGrid grid{.blocks = max(ceil_div(own, 8), 1), .shared_bytes = own};
  const std::vector<std::int64_t> symbols{20};
  const runtime::CudaLaunchConfig now = runtime::launch_config(plan, launch, grid, symbols);
  CHECK(now.first_blocks == std::vector<unsigned>{0, 3, 16});
  CHECK(now.blocks == 17);
  CHECK(now.shared_bytes == 100);
  Vector<void*> buffers;
  for (std::size_t i = 0; i < 6; ++i) buffers.push_back(reinterpret_cast<void*>(64 * i));
  CHECK(runtime::arguments_of(plan, launch, now, buffers, nullptr) ==
        Vector<std::uint64_t>{0, 0, 64, 20, 3, 128, 192, 100, 16, 256, 320, 0, 17, 17, 17, 17, 17});
  CHECK(runtime::positions_of_buffers(plan, launch) == Vector<std::size_t>{1, 2, 5, 6, 9, 10});
}

TEST_CASE("cuda_launch: the blocks of all entries together are limited") {
  schedule::Plan plan;
  plan.kernels.resize(1);
  plan.kernels[0].batch_capacity = 2;
  plan.launches.resize(1);
  plan.launches[0].entries.resize(2);
  const runtime::CudaGrid grid{.blocks = Extent(std::int64_t{1} << 40)};
  CHECK(runtime::launch_config(plan, plan.launches[0], grid, {}).blocks == 0x7ffffffeu);
}

TEST_CASE("cuda_launch: the driver gets each argument, or the table") {
  Vector<std::uint64_t> words{1, 2, 3};
  CHECK(runtime::pointers_to(words, true) == Vector<void*>{words.data()});
  CHECK(runtime::pointers_to(words, false).size() == 3);
}
