#pragma once
// Checks that the rows of other tables of operations have the order of op_table.

#include <cstddef>  // std::size_t

#include <sinter/graph/op.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// The position in op_table of the first elementwise operation. The others follow it directly.
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

/// True if `rows`, which have a member `op`, list consecutive operations in the order of op_table,
/// starting at position `first`.
template <class Rows>
constexpr bool in_order_of_op_table(const Rows& rows, std::size_t first) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].op != static_cast<Op>(first + i)) return false;
  }
  return true;
}

}  // namespace sinter::inline SINTER_ABI::detail
