// test: deep
#include <doctest/doctest.h>
#include <sinter/base/error.hpp>
#include <sinter/codegen/cuda/nest/launch.hpp>

#include "texts.hpp"

using namespace kernels;

namespace {

codegen::CudaLaunch launch_of(const std::string& name, bool symbolic) {
  for (const Case& one : all_cases()) {
    if (one.name != name) continue;
    Sizes sizes(one.sizes.back(), symbolic);
    return codegen::cuda_launch(one.build(name, sizes));
  }
  throw InternalError("no case " + name);
}

}  // namespace

TEST_CASE("cuda_launch: a warp for each short row, which is in its registers") {
  const codegen::CudaLaunch rows = launch_of("softmax", false);  // (37, 129), 4 rows a block
  CHECK(to_string(rows.blocks) == "10");
  CHECK(rows.threads == 128);
  CHECK(to_string(rows.shared_bytes) == "0");
}

TEST_CASE(
    "cuda_launch: a block for each row of unknown length, with shared memory for local rows") {
  const codegen::CudaLaunch rows = launch_of("softmax", true);
  CHECK(to_string(rows.blocks) == "max(s0, 1)");
  CHECK(rows.threads == 256);
  CHECK(contains(to_string(rows.shared_bytes), "s1"));
}

TEST_CASE("cuda_launch: a thread for each pack or tile") {
  const codegen::CudaLaunch pointwise = launch_of("sin_sin", false);  // 1000, 4 a thread
  CHECK(to_string(pointwise.blocks) == "2");
  CHECK(pointwise.threads == 128);
}

TEST_CASE("cuda_launch: one thread for serial kernels") {
  CHECK(launch_of("scatter", false).threads == 1);
}
