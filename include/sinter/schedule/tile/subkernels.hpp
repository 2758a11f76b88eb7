#pragma once
// Splits a row-tiled kernel into subkernels, each of which runs for one tile of rows. Codegen
// prints one function for each.

#include <cstdint>  // std::int32_t
#include <vector>   // std::vector

#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>
#include <sinter/schedule/ir/target.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// A stage that contracts, or the stages between two of those. Its symbols are those of the whole
/// kernel, followed by the variables of the outer loops of the grid, the first row of the tile, and
/// the number of its rows. Its grid iterates over the rows of the tile. Arguments that are local to
/// the whole kernel are passed in.
struct Subkernel {
  Kernel kernel{};
  Vector<std::int32_t> arguments{};  ///< Of the whole kernel: those that are not local to it.
  bool is_product = false;
};

/// The subkernels of `whole`, in order. Row scalars that pass from one to another are stored in
/// scratch memory: local arguments added to those of `whole`.
struct Subkernels {
  Vector<Argument> arguments{};  ///< Those of the whole kernel, and the added scratch.
  Vector<Subkernel> kernels{};
  Vector<bool> is_private{};       ///< For each argument: whether it is local to one subkernel.
  Vector<std::int32_t> storage{};  ///< For each argument: the one whose memory it uses.
  std::vector<Extent> symbols{};        ///< Of each subkernel.
  /// The number of iterations that clipped loops run, which is the second to last symbol: the first
  /// or the last ones of `extent`. -1 if no loop is clipped. `last_end`, the last symbol, is the
  /// largest number that any tile has.
  Extent end = -1, last_end = -1, extent = 0;
  bool clips() const { return !same(end, -1); }
  /// Whether threads can share the columns of all products, each rematerializing what the products
  /// read of the tile: no subkernel reads the result of a product, and only products write memory
  /// that is not local.
  bool can_share_columns() const;
  /// Operations per row in the subkernels that are not products.
  Extent operations_before() const;
};

/// With `clips`, loops skip the iterations in which a condition on the row makes all values
/// neutral. Uses the limits of `target` for row tiles and loops.
Subkernels subkernels_of(const Kernel& whole, bool clips = true, const Target& target = {});

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/tile/subkernels.ipp>
#endif
