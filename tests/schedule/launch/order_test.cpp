#include <doctest/doctest.h>
#include <sinter/schedule/launch/order.hpp>

#include "handwritten_kernels.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;

namespace {

// A kernel recorded at `recorded` that reads `from` at r0 + shift and writes `to` at r0.
LoweredKernel kernel(NodeId recorded, NodeId from, NodeId to, Extent shift = 0) {
  using namespace handwritten_kernels;
  const Extent r0 = Extent::range(0, 8);
  LoweredKernel result;
  result.recorded = recorded;
  result.nodes = {from, to};
  result.kernel.grid = {{r0, 8}};
  result.kernel.arguments = {{f32, Access::read, 16}, {f32, Access::write, 16}};
  result.kernel.stages = {{{}, {0, 1}}};
  result.kernel.instructions = {load(0, r0 + shift), store(1, r0, 0)};
  return result;
}

LoweredKernel with_bind(LoweredKernel lowered) {
  Instruction bind{.code = Code::bind, .dtype = i64};
  bind.operands = {0};
  bind.bound = 4;
  bind.variable = Extent::range(5, 4);
  lowered.kernel.instructions.push_back(bind);
  lowered.kernel.stages[0].body.push_back(2);
  return lowered;
}

using Positions = Vector<std::size_t>;
using Nodes = Vector<NodeId>;

}  // namespace

TEST_CASE("order: kernels run as recorded, after what they read") {
  const Vector<LoweredKernel> kernels{kernel(9, 1, 2), kernel(3, 1, 4), kernel(2, 2, 5)};
  CHECK(find_launch_order(kernels, {}).kernels == Positions{1, 0, 2});
}

TEST_CASE("order: kernels that write parts of a value do not wait for each other; readers do") {
  const Vector<LoweredKernel> kernels{kernel(9, 1, 2), kernel(3, 1, 2), kernel(1, 2, 5)};
  CHECK(find_launch_order(kernels, {}).kernels == Positions{1, 0, 2});
}

TEST_CASE("order: an update waits for the readers of the old value") {
  const Vector<LoweredKernel> kernels{kernel(3, 1, 2), kernel(4, 1, 5)};
  const Vector<NodeUpdate> updates{{1, 2}};
  const LaunchOrder found = find_launch_order(kernels, updates);
  CHECK(found.kernels == Positions{1, 0});
  CHECK(found.copied.empty());
}

TEST_CASE("order: an update that is needed before the last read of the old value is copied") {
  // The second kernel needs the new value, the third needs the second and the old value.
  Vector<LoweredKernel> kernels{kernel(3, 1, 2), kernel(4, 2, 5), kernel(6, 5, 7)};
  kernels[2].nodes = {5, 1, 7};
  kernels[2].kernel.arguments = {
      {f32, Access::read, 16}, {f32, Access::read, 16}, {f32, Access::write, 16}};
  const Vector<NodeUpdate> updates{{1, 2}};
  const LaunchOrder found = find_launch_order(kernels, updates);
  CHECK(found.kernels == Positions{0, 1, 2});
  CHECK(found.copied == Nodes{2});
}

TEST_CASE("order: a kernel that reads other elements than it writes may not write in place") {
  const Vector<NodeUpdate> updates{{1, 2}};
  CHECK(find_launch_order(Vector{kernel(3, 1, 2, 0)}, updates).copied.empty());
  CHECK(find_launch_order(Vector{kernel(3, 1, 2, 1)}, updates).copied == Nodes{2});
}

TEST_CASE("order: state is written after all that can fault, and by none that can") {
  const Vector<LoweredKernel> kernels{kernel(3, 1, 2), with_bind(kernel(4, 6, 5))};
  const Vector<NodeUpdate> updates{{1, 2}};
  CHECK(find_launch_order(kernels, updates).kernels == Positions{1, 0});

  const Vector<LoweredKernel> faulting{with_bind(kernel(3, 1, 2))};
  CHECK(find_launch_order(faulting, updates).copied == Nodes{2});
}

TEST_CASE("order: a kernel that frees much memory runs as soon as it can") {
  constexpr std::int64_t large = 1 << 20;
  // The second kernel and the last recorded one read the result of the first.
  Vector<LoweredKernel> kernels{kernel(1, 1, 2), kernel(2, 2, 3), kernel(3, 3, 6), kernel(9, 2, 5)};
  const Nodes outputs{5, 6};
  CHECK(find_launch_order(kernels, {}, outputs).kernels == Positions{0, 1, 2, 3});
  for (const std::size_t k : {0u, 1u, 3u}) kernels[k].kernel.arguments[0].elements = large;
  kernels[0].kernel.arguments[1].elements = large;
  CHECK(find_launch_order(kernels, {}, outputs).kernels == Positions{0, 1, 3, 2});
}
