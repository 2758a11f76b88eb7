// test: emulator
// The nodes of collectives on GPUs: ranks agree before they enqueue.

#include <doctest/doctest.h>

#include <array>

#include <sinter/dist/collective/gpu_transport.hpp>

#include "../gpu_world.hpp"

using namespace sinter;
using namespace sinter::detail::collective;
using namespace ranks;

TEST_SUITE_BEGIN("host: it has a GPU of its own");

TEST_CASE("gpu transport: it is there with an emulated NCCL") {
  if (!emulator::runs_kernels) return;
  OnGpu gpu;
  REQUIRE(gpu_transport() != nullptr);
  CHECK(gpu_transport()->why_not() == "");
  const Collective what{.kind = Kind::all_reduce, .where = Where::current()};
  const std::array<std::int64_t, 1> shape{3};
  const std::array x{RawTensor(nullptr, f32, shape)};
  GpuCollective(what).prepare(x, x, 0);
  CHECK(emulator::nccl_work().communicators == 1);
  CHECK(emulator::nccl_work().enqueued == 0);
}

TEST_SUITE_END();
