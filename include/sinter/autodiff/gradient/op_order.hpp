#pragma once
// For tables with a row for each operation: their rows are in the order of op_table.

#include <cstddef>  // std::size_t

#include <sinter/graph/op.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// The position in op_table of the first elementwise operation. They follow each other.
inline constexpr std::size_t first_elementwise = [] {
  std::size_t first = 0;
  while (op_table[first].kind != OpKind::elementwise) ++first;
  return first;
}();
/// The number of elementwise operations.
inline constexpr std::size_t elementwise_count = [] {
  std::size_t count = 0;
  while (op_table[first_elementwise + count].kind == OpKind::elementwise) ++count;
  return count;
}();

/// Whether `rows`, which have an `op`, are for the operations from position `first` on, in the
/// order of op_table.
template <class Rows>
constexpr bool in_order_of_op_table(const Rows& rows, std::size_t first) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].op != static_cast<Op>(first + i)) return false;
  }
  return true;
}

}  // namespace sinter::inline SINTER_ABI::detail
