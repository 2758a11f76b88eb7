#pragma once
// The factors of a product, and the loops that they depend on.

#include <cstdint>  // std::int32_t

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

/// Whether `value` is computed from elements of `argument`.
inline bool depends_on_argument(const Kernel& kernel, ValueId value, std::int32_t argument) {
  return any_load(kernel, value,
                  [&](const Instruction& load) { return load.argument == argument; });
}

/// The factors of `kernel`, a product: the operands of the multiplication that is summed.
inline Vector<ValueId> factors_of(const Kernel& kernel) {
  Vector<ValueId> result;
  for (const Instruction& one : kernel.instructions) {
    if (one.code != Code::reduce) continue;
    const auto& operands = kernel.instructions[one.operands[0]].operands;
    result.insert(result.end(), operands.begin(), operands.end());
  }
  return result;
}

/// Whether the loop over `row` is one of the columns of `kernel`, a product: it is if one factor
/// alone depends on it, and that factor also depends on the last loop of the grid.
inline bool is_column_loop(const Kernel& kernel, Extent row) {
  Vector<ValueId> along;
  for (const ValueId factor : factors_of(kernel)) {
    if (varies_along(kernel, factor, row)) along.push_back(factor);
  }
  return along.size() == 1 && varies_along(kernel, along[0], kernel.grid.back().variable);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail
