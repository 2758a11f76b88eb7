// test: emulator
// Communicators: one for each group and GPU, and what waits for a GPU.

#include <doctest/doctest.h>

#include <sinter/device/cuda/stream_order.hpp>
#include <sinter/dist/backend/nccl/communicators.hpp>

#include "../../gpu_world.hpp"

using namespace sinter;
using namespace ranks;
using sinter::detail::collective::Call;

TEST_SUITE_BEGIN("host: it has a GPU of its own");

TEST_CASE("communicators: made once, by all ranks of the group") {
  if (!emulator::runs_kernels) return;
  OnGpu gpu;
  const Call call{7, "a call", "op", Where::current()};
  CHECK_THROWS_AS(detail::nccl::communicator(call, 0, 0), dist::RankError);
  detail::nccl::require_communicator(call, 0, 0);
  detail::nccl::require_communicator(call, 0, 0);
  CHECK(emulator::nccl_work().communicators == 1);
  CHECK(detail::nccl::communicator(call, 0, 0) != nullptr);
  const bool is_watched = detail::host_wait().load() != nullptr;
  CHECK(is_watched);
  detail::nccl::require_communicator(call, 0, 1);  // another GPU of this process
  CHECK(detail::nccl::communicator(call, 0, 0) != detail::nccl::communicator(call, 0, 1));
}

TEST_CASE("communicators: an error of NCCL names the call, the collective and its line") {
  if (!emulator::runs_kernels) return;
  OnGpu gpu;
  const Call call{7, "all_reduce(sum) of f32[3]", "dist::all_reduce", Where::current()};
  try {
    detail::nccl::finish(call, nullptr, detail::nccl::Functions::invalid_usage, "ncclGroupEnd");
    FAIL("no error");
  } catch (const DeviceError& error) {
    const std::string message = error.what();
    CHECK(message.find("ncclGroupEnd") != std::string::npos);
    CHECK(message.find("invalid usage") != std::string::npos);
    CHECK(message.find("all_reduce(sum) of f32[3]") != std::string::npos);
    CHECK(message.find("communicators_test.cpp") != std::string::npos);
  }
}

TEST_SUITE_END();
