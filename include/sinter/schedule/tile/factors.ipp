#pragma once

#include <sinter/base/container/algorithm.hpp>
#include <sinter/schedule/tile/factors.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

SINTER_INLINE bool depends_on_argument(const Kernel& kernel, ValueId value, std::int32_t argument) {
  return any_load(kernel, value,
                  [&](const Instruction& load) { return load.argument == argument; });
}

SINTER_INLINE Vector<ValueId> factors_of(const Kernel& kernel) {
  Vector<ValueId> result;
  for (const Instruction& one : kernel.instructions) {
    if (one.code != Code::reduce) continue;
    const auto& operands = kernel.instructions[one.operands[0]].operands;
    result.insert(result.end(), operands.begin(), operands.end());
  }
  return result;
}

SINTER_INLINE bool is_column_loop(const Kernel& kernel, Extent row) {
  Vector<ValueId> along;
  for (const ValueId factor : factors_of(kernel)) {
    if (varies_along(kernel, factor, row)) along.push_back(factor);
  }
  return along.size() == 1 && varies_along(kernel, along[0], kernel.grid.back().variable);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail
