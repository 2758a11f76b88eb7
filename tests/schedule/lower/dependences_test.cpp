#include <doctest/doctest.h>
#include <sinter/schedule/lower/dependences.hpp>

#include "handwritten_kernels.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;

namespace {

// Reads `from`, writes `to`.
LoweredKernel kernel(NodeId from, NodeId to, bool can_fault = false) {
  using namespace handwritten_kernels;
  LoweredKernel result{.kernel = sine(4, 2, 2, 1)};
  result.nodes = {from, to};
  if (!can_fault) return result;
  Instruction bind{.code = Code::bind, .dtype = i64};
  bind.operands = {0};
  bind.bound = 4;
  bind.variable = Extent::range(5, 4);
  result.kernel.instructions.push_back(bind);
  return result;
}

using Lists = Vector<KernelNumbers>;

Dependences find(const Vector<LoweredKernel>& kernels, const Vector<NodeUpdate>& updates) {
  return dependences(kernels, {}, updates);
}

}  // namespace

TEST_CASE("dependences: a reader depends on the writer; both lists say so") {
  const Dependences found = find({kernel(1, 2), kernel(1, 3), kernel(2, 4)}, {});
  CHECK(found.before == Lists{{}, {}, {0}});
  CHECK(found.after == Lists{{2}, {}, {}});
}

TEST_CASE(
    "dependences: kernels that write parts of a node do so in any order, before its readers") {
  CHECK(find({kernel(1, 3), kernel(2, 3), kernel(3, 4)}, {}).before == Lists{{}, {}, {0, 1}});
}

TEST_CASE("dependences: positions are those in the order") {
  const Vector<LoweredKernel> kernels{kernel(2, 4), kernel(1, 2)};
  CHECK(dependences(kernels, Vector<std::size_t>{1, 0}).before == Lists{{}, {0}});
}

TEST_CASE("dependences: an update runs after the readers of the old value") {
  CHECK(find({kernel(1, 2), kernel(9, 3)}, {{1, 3}}).before == Lists{{}, {0}});
}

TEST_CASE("dependences: an update runs after kernels that can fault") {
  const Vector<LoweredKernel> kernels{kernel(8, 2, true), kernel(9, 3), kernel(1, 4)};
  CHECK(find(kernels, {{9, 3}}).before == Lists{{}, {0}, {}});
}
