#pragma once

// Blocks whose columns threads share.

#include <algorithm>  // std::any_of
#include <cstddef>    // std::size_t
#include <vector>     // std::vector

#include <sinter/schedule/block_factors.ipp>
#include <sinter/schedule/block_parts.hpp>
#include <sinter/schedule/statistics.hpp>
#include <sinter/symbol/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// How many of `parts` have each of their arguments.
SINTER_INLINE std::vector<std::size_t> uses_of(const BlockParts& parts) {
  std::vector<std::size_t> result(parts.arguments.size(), 0);
  for (const BlockPart& part : parts.parts) {
    for (const std::int32_t argument : part.arguments) ++result[static_cast<std::size_t>(argument)];
  }
  return result;
}

// The arguments of the whole that `part` writes.
SINTER_INLINE std::vector<std::size_t> written_by(const BlockPart& part) {
  std::vector<std::size_t> result;
  std::size_t next = 0;
  for (const Argument& argument : part.kernel.arguments) {
    if (argument.access == Access::local) continue;
    const auto of_whole = static_cast<std::size_t>(part.arguments[next++]);
    if (argument.access != Access::read) result.push_back(of_whole);
  }
  return result;
}

}  // namespace detail

SINTER_INLINE bool BlockParts::divides() const {
  const std::vector<std::size_t> uses = detail::uses_of(*this);
  if (clips()) return false;
  for (const BlockPart& part : parts) {
    // The rows of the block are no rows of the product then, but part of its columns.
    const bool is_turned =
        part.is_product &&
        std::any_of(part.kernel.grid.begin(), part.kernel.grid.end(), [&](const Loop& loop) {
          return depends_on(loop.extent, symbols.back()) &&
                 detail::is_column(part.kernel, loop.variable);
        });
    if (is_turned) return false;
    for (const std::size_t argument : detail::written_by(part)) {
      const bool is_local = arguments[argument].access == Access::local;
      if (part.is_product ? is_local || uses[argument] > 1 : !is_local) return false;
    }
  }
  return true;
}

SINTER_INLINE Extent BlockParts::operations_before() const {
  Extent result = 0;
  for (const BlockPart& part : parts) {
    if (part.is_product) continue;
    Kernel row = part.kernel;
    row.grid.clear();
    result += operations_of(row);
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
