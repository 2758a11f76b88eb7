#include <doctest/doctest.h>
#include <sinter/autodiff/gradient/op_order.hpp>

#include <array>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE(
    "op_order: elementwise operations follow each other, so that tables of them begin at the "
    "first") {
  std::size_t count = 0;
  for (const OpInfo& row : op_table) count += row.kind == OpKind::elementwise;
  CHECK(count == elementwise_count);
  CHECK(static_cast<Op>(first_elementwise) == Op::cast);
}

TEST_CASE("op_order: rows that are missing or exchanged are noticed") {
  struct Row {
    Op op;
  };
  const auto first = static_cast<std::size_t>(Op::cast);
  CHECK(in_order_of_op_table(std::array{Row{Op::cast}, Row{Op::neg}, Row{Op::abs}}, first));
  CHECK_FALSE(in_order_of_op_table(std::array{Row{Op::cast}, Row{Op::abs}}, first));
  CHECK_FALSE(in_order_of_op_table(std::array{Row{Op::neg}, Row{Op::cast}}, first));
}
