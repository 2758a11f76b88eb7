#pragma once
// Builds the kernel of a small graph around a product.

#include <sinter/graph/builder.hpp>
#include <sinter/pass/pipeline.hpp>
#include <sinter/schedule/plan.hpp>

#include <stdexcept>
#include <vector>

namespace testing {

using namespace sinter;
using namespace sinter::detail;

/// A graph under construction.
class ProductGraph {
 public:
  Value input(DType dtype, const Shape& shape) { return b.input({dtype, shape}); }
  /// x times y, or x times the transpose of y.
  Value product(Value x, Value y, bool transposed = false) {
    return b.dot_general(x, y, {.lhs_contract = {1}, .rhs_contract = {transposed ? 1 : 0}});
  }
  Value batched(Value x, Value y) {
    return b.dot_general(
        x, y, {.lhs_batch = {0}, .rhs_batch = {0}, .lhs_contract = {2}, .rhs_contract = {1}});
  }
  /// A row for each row of `like`.
  Value row(Value x, Value like) {
    return b.expand(b.reshape(x, {1, b.shape(x)[0]}), b.shape(like));
  }
  Value relu(Value x) { return b.elementwise(Op::maximum, {x, b.constant_like(x, 0)}); }

  /// The only kernel.
  schedule::Kernel kernel(Value result) {
    graph.outputs = {result};
    const schedule::Plan plan = schedule::plan(pass::optimize(graph), {});
    if (plan.kernels.size() != 1) throw std::runtime_error("not one kernel");
    return plan.kernels[0];
  }

  Graph graph{};
  Builder b{graph};
};

}  // namespace testing
