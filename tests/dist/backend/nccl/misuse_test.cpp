// test: emulator
// The emulated NCCL reports calls that NCCL does not allow.

#include <doctest/doctest.h>

#include <sinter/device/cuda/submission.hpp>
#include <sinter/dist/backend/nccl/communicators.hpp>
#include <sinter/trace/core/evaluate.hpp>

#include "../../../cuda_emulator/program.hpp"
#include "../../gpu_world.hpp"

using namespace sinter;
using namespace ranks;
using sinter::detail::nccl::Config;
using sinter::detail::nccl::Functions;
using sinter::detail::nccl::UniqueId;

TEST_SUITE_BEGIN("host: it has a GPU of its own");

namespace {

const Functions& table() { return emulator::nccl_table(); }

// A communicator of this process alone.
struct Alone {
  Alone() {
    emulator::use_device(0);
    UniqueId id;
    table().unique_id(&id);
    Config config;
    REQUIRE(table().create(&comm, 1, id, 0, &config) == 0);
    emulator::check(emulator::driver().create_stream(&stream, 1), "create_stream");
  }
  void* comm = nullptr;
  void* stream = nullptr;
};

bool reports(emulator::Emulator& machine, const std::string& what) {
  const std::string first = emulator::first_report(machine);
  INFO("reported: " << first);
  return first.find(what) != std::string::npos;
}

}  // namespace

TEST_CASE("emulated nccl: buffers, roots, types and groups are checked") {
  if (!emulator::runs_kernels) return;
  world();
  emulator::Emulator machine;
  Alone one;
  {
    emulator::Buffer<float> x(std::vector<float>{1, 2, 3}), y(3);
    const auto in = reinterpret_cast<void*>(x.address()),
               out = reinterpret_cast<void*>(y.address());
    const auto reduce = [&](std::size_t count, int type, int reduction) {
      return table().all_reduce(in, out, count, type, reduction, one.comm, one.stream);
    };
    CHECK(reduce(3, Functions::f32, Functions::sum) == 0);
    emulator::check(emulator::driver().synchronize_stream(one.stream), "synchronize_stream");
    CHECK(y.values() == std::vector<float>{1, 2, 3});
    CHECK(reduce(4, Functions::f32, Functions::sum) == Functions::invalid_usage);
    CHECK(reports(machine, "reads 16 bytes"));
    CHECK(reduce(3, 77, Functions::sum) == Functions::invalid_usage);
    CHECK(reports(machine, "there is no type 77"));
    CHECK(reduce(3, Functions::f32, 9) == Functions::invalid_usage);
    CHECK(reports(machine, "there is no reduction 9"));
    CHECK(table().broadcast(in, out, 3, Functions::f32, 1, one.comm, one.stream) != 0);
    CHECK(reports(machine, "there is no rank 1"));
    CHECK(table().group_end() != 0);
    CHECK(reports(machine, "a group that was not begun"));
    const float host = 0;
    CHECK(table().all_reduce(&host, out, 1, Functions::f32, 0, one.comm, one.stream) != 0);
    CHECK(reports(machine, "memory that is not that of a GPU"));
  }
  emulator::check(emulator::driver().destroy_stream(one.stream), "destroy_stream");
  CHECK(table().destroy(one.comm) == 0);
}

TEST_CASE("emulated nccl: communicators that are not ready, in progress or destroyed") {
  if (!emulator::runs_kernels) return;
  world();
  emulator::Emulator machine;
  Alone one;
  emulator::Buffer<float> x(std::vector<float>{1, 2});
  const auto at = reinterpret_cast<void*>(x.address());
  const auto reduce = [&](void* comm) {
    return table().all_reduce(at, at, 2, Functions::f32, Functions::sum, comm, one.stream);
  };
  UniqueId id;
  table().unique_id(&id);
  Config config{.blocking = 0};
  void* later = nullptr;
  CHECK(table().create(&later, 1, id, 0, &config) == Functions::in_progress);
  CHECK(reduce(later) == Functions::invalid_usage);
  CHECK(reports(machine, "not ready"));
  int status = -1;
  CHECK(table().async_error(later, &status) == 0);
  CHECK(status == 0);
  CHECK(reduce(later) == Functions::in_progress);
  CHECK(reduce(later) == Functions::invalid_usage);
  CHECK(reports(machine, "in progress"));
  CHECK(table().destroy(later) == 0);
  CHECK(reduce(later) == Functions::invalid_usage);
  CHECK(reports(machine, "was destroyed"));
  emulator::driver().synchronize_stream(one.stream);
  static_cast<void>(machine.reports());  // the reduction may have begun, or not
  x.free();
  emulator::driver().destroy_stream(one.stream);
  CHECK(table().destroy(one.comm) == 0);
}

TEST_CASE("emulated nccl: ranks that disagree are reported") {
  if (size() == 1) return;
  if (!emulator::runs_kernels) return;
  OnGpu gpu;
  dist::all_reduce(ones({2})).to_vector<float>();  // makes the communicator
  const auto& known = detail::CudaContext::of(cuda()).state<detail::nccl::Communicators>();
  void* const comm = known.by_group.at(0);
  const Tensor x = ones({3});
  x.to_vector<float>();
  const auto at = reinterpret_cast<void*>(detail::elements_of(x, Where()).data());
  detail::CudaSubmission work(cuda());
  const auto count = static_cast<std::size_t>(rank() == 0 ? 3 : 2);
  table().all_reduce(at, at, count, Functions::f32, 0, comm, work.stream().handle);
  emulator::driver().synchronize_stream(work.stream().handle);
  CHECK(reports(gpu.machine(), "NCCL: rank"));
}

TEST_SUITE_END();
