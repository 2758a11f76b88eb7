// test: alone
#include <doctest/doctest.h>

#include <string>

#include <sinter/device/cuda/driver.hpp>
#if __has_include(<cuda.h>)
#include <cuda.h>

#include <cstddef>
#endif

using namespace sinter;
using namespace sinter::detail;

#if __has_include(<cuda.h>) && CUDA_VERSION >= 12030
namespace {

#define SAME_PLACE(ours, theirs) \
  static_assert(offsetof(CudaConditionalNode, ours) == offsetof(CUgraphNodeParams, theirs))

static_assert(sizeof(CudaConditionalNode) == sizeof(CUgraphNodeParams));
static_assert(CudaConditionalNode{}.type == CU_GRAPH_NODE_TYPE_CONDITIONAL);
static_assert(int{CudaConditionalNode::if_node} == int{CU_GRAPH_COND_TYPE_IF});
static_assert(int{CudaConditionalNode::while_node} == int{CU_GRAPH_COND_TYPE_WHILE});
SAME_PLACE(type, type);
SAME_PLACE(handle, conditional.handle);
SAME_PLACE(kind, conditional.type);
SAME_PLACE(size, conditional.size);
SAME_PLACE(bodies, conditional.phGraph_out);
SAME_PLACE(last, reserved2);

}  // namespace
#endif

TEST_CASE("cuda_driver: a machine without a driver says why") {
  if (cuda_driver() != nullptr) return;
  CHECK(cuda_missing().find("CUDA driver") != std::string::npos);
}

TEST_CASE("cuda_driver: an emulator can take its place") {
  const CudaDriver emulator{};

  const CudaDriver* const before = replace_cuda_driver(&emulator);
  CHECK(cuda_driver() == &emulator);
  CHECK(cuda_missing() == "");
  CHECK(replace_cuda_driver(before) == &emulator);

  CHECK(cuda_driver() != &emulator);
}

TEST_CASE("cuda_driver: the driver of this machine has a version, and all functions") {
  const CudaDriver* const driver = cuda_driver();
  if (driver == nullptr) {
    MESSAGE("skipped: " << cuda_missing());
    return;
  }
  int version = 0;
  REQUIRE(driver->version(&version) == 0);
  CHECK(version >= 11040);
}
