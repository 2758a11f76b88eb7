// test: emulator
// Conditional nodes.

#include "conditions.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "emulator.hpp"
#include "program.hpp"

using namespace emulator;

namespace {

using Handle = void*;
using sinter::detail::CudaKernelNode;

const char* const kernels = R"(
extern "C" __device__ void cudaGraphSetConditional(unsigned long long condition, unsigned value);
extern "C" __global__ void count_down(int* value, unsigned long long condition) {
  *value -= 1;
  cudaGraphSetConditional(condition, *value > 0);
}
)";

Handle context() {
  Handle result = nullptr;
  check(driver().context(&result), "context");
  return result;
}

// A graph with one conditional node.
struct Conditional {
  explicit Conditional(int kind, unsigned size = 1, unsigned initial = 1, unsigned flags = 1) {
    check(driver().create_condition(&handle, graph.handle, context(), initial, flags), "condition");
    node.handle = handle;
    node.kind = kind;
    node.size = size;
    node.context = context();
    result = driver().add_node(&added, graph.handle, nullptr, 0, &node);
  }
  // A kernel of one thread, with an address and a condition as arguments.
  int add(const Program& program, unsigned body, std::uint64_t address, std::uint64_t condition) {
    void* pointers[]{&address, &condition};
    CudaKernelNode one;
    one.function = program.function("count_down");
    one.arguments = pointers;
    Handle inside = nullptr;
    return driver().add_kernel_node(&inside, node.bodies[body], nullptr, 0, &one);
  }

  TestGraph graph{};
  std::uint64_t handle = 0;
  sinter::detail::CudaConditionalNode node{};
  Handle added = nullptr;
  int result = 0;
};

constexpr int if_node = sinter::detail::CudaConditionalNode::if_node;
constexpr int while_node = sinter::detail::CudaConditionalNode::while_node;

}  // namespace

TEST_CASE(
    "conditions: a branch has an else where the driver has it, and begins each launch as it says") {
  Emulator machine;
  use_device(0);
  const Program program(kernels);
  Buffer<int> taken(std::vector<int>{5}), refused(std::vector<int>{5});
  Conditional branch(if_node, 2, 0);
  REQUIRE(branch.result == 0);
  CHECK(branch.add(program, 0, taken.address(), branch.handle) == 0);
  CHECK(branch.add(program, 1, refused.address(), branch.handle) == 0);
  branch.graph.instantiate();
  for (int i = 0; i < 2; ++i) CHECK(branch.graph.run() == 0);  // a body's value ends with it
  CHECK(taken.values()[0] == 5);
  CHECK(refused.values()[0] == 3);
  CHECK(Conditional(while_node, 2).result != 0);
  machine.set_driver_version(12040);
  CHECK(Conditional(if_node, 2).result != 0);
  CHECK(Conditional(if_node, 1).result == 0);
}

TEST_CASE("conditions: conditions of other graphs and loops that do not end are reported") {
  Emulator machine;
  use_device(0);
  const Program program(kernels);
  Buffer<int> value(std::vector<int>{1'000'000});
  Conditional other(if_node), branch(if_node), loop(while_node);
  other.add(program, 0, value.address(), other.handle);
  other.graph.instantiate();
  branch.add(program, 0, value.address(), other.handle);
  branch.graph.instantiate();
  branch.graph.run();
  CHECK(contains(machine.reports().at(0), "which is of another graph than runs"));
  loop.add(program, 0, value.address(), loop.handle);
  loop.graph.instantiate();
  loop.graph.run();
  CHECK(contains(machine.reports().at(0), "does not end"));
}

TEST_CASE("conditions: what a body cannot hold is refused, as are graphs that cannot be made") {
  Emulator machine;
  use_device(0);
  const Program program(kernels);
  Buffer<int> value(std::vector<int>{3});
  Conditional loop(while_node);
  loop.add(program, 0, value.address(), loop.handle);
  int pageable = 0;
  sinter::detail::CudaCopyNode copy;
  copy.from.device_address = value.address();
  copy.to.kind = sinter::detail::CudaCopyNode::host;
  copy.to.host_address = &pageable;
  copy.width = sizeof(int);
  Handle node = nullptr;
  CHECK(driver().add_copy_node(&node, loop.node.bodies[0], nullptr, 0, &copy, context()) != 0);
  CHECK(contains(machine.reports().at(0), "a body copies no memory of the host"));

  TestGraph around;
  CHECK(driver().add_child_node(&node, around.handle, nullptr, 0, loop.graph.handle) != 0);
  CHECK(driver().instantiate_graph(&around.executable, loop.node.bodies[0], 0) != 0);
  sinter::detail::CudaConditionalNode again = loop.node;
  CHECK(driver().add_node(&node, loop.graph.handle, nullptr, 0, &again) != 0);
  std::uint64_t unused = 0;
  CHECK(driver().create_condition(&unused, around.handle, context(), 0, 1) == 0);
  CHECK(driver().instantiate_graph(&around.executable, around.handle, 0) != 0);
  around.executable = nullptr;

  loop.graph.instantiate();
  CHECK(loop.graph.run() == 0);
  CHECK(value.values()[0] == 0);
  CudaKernelNode other;
  CHECK(driver().set_kernel_node(loop.graph.executable, node, &other) != 0);
}

TEST_CASE(
    "conditions: memory that a body uses and that is freed is reported, as is an unset condition") {
  Emulator machine;
  use_device(0);
  const Program program(kernels);
  {
    Buffer<int> value(std::vector<int>{3});
    Conditional loop(while_node);
    loop.add(program, 0, value.address(), loop.handle);
    loop.graph.instantiate();
    value.free();
    loop.graph.run();
    CHECK(contains(machine.reports().at(0), "use after free"));
  }
  machine.reports();
}

TEST_CASE("conditions: a condition that nobody sets is reported") {
  Emulator machine;
  use_device(0);
  const Program program(kernels);
  Buffer<int> value(std::vector<int>{3});
  Conditional branch(if_node, 1, 1, 0);
  branch.add(program, 0, value.address(), branch.handle);
  branch.graph.instantiate();
  branch.graph.run();
  CHECK(contains(machine.reports().at(0), "which nobody has set"));
}
