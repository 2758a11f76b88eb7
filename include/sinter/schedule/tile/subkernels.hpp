#pragma once
// A kernel that runs for blocks of rows as kernels that run for one block each: what codegen
// prints.

#include <cstdint>  // std::int32_t
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// A stage that contracts, or the stages between two of them. Its symbols are those of the whole
/// kernel; then the variables of the outer loops of the grid, the first row of the block, and how
/// many rows it has. Its grid goes over the rows; what is local to the whole kernel is memory that
/// it is given.
struct BlockPart {
  Kernel kernel{};
  std::vector<std::int32_t> arguments{};  ///< Of the whole: each that is not local to it.
  bool is_product = false;
};

/// The parts of `whole`, in order. Values of a row that go from part to part are written to scratch
/// memory: local arguments that are added to `whole`.
struct BlockParts {
  std::vector<Argument> arguments{};  ///< Those of the whole, and the scratch that was added.
  std::vector<BlockPart> parts{};
  std::vector<bool> single{};         ///< For each argument: whether it is local to one part.
  std::vector<std::int32_t> homes{};  ///< For each argument: which one's memory it is kept in.
  std::vector<Extent> symbols{};      ///< Of each part.
  /// How many steps the loops have that the symbol before the last one bounds, the first or the
  /// last ones of `extent`, which they do not exceed; -1 if no loop is clipped. The last symbol
  /// stands for the most steps that a block has.
  Extent end = -1, last_end = -1, extent = 0;
  bool clips() const { return !same(end, -1); }
  /// Whether the columns of all products can go in parts to threads, which compute again for each
  /// what the products read of the block: no part reads what a product gives, and only products
  /// write to memory that is not of a thread.
  bool divides() const;
  /// How many operations a row takes in the parts that are no products.
  Extent operations_before() const;
};

/// With `clips`, loops end where a condition on the row makes the rest of their steps neutral.
BlockParts parts_of(const Kernel& whole, bool clips = true);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/tile/subkernels.ipp>
#endif
