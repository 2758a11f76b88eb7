#pragma once
// Panels of products of a block that are the same for many blocks: a thread packs them once.

#include <string>  // std::string

#include <sinter/codegen/cpp/nest/options.hpp>
#include <sinter/codegen/cpp/product/product_text.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/tile/subkernels.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The text of a part of a block, and the panels that it can be given memory for.
struct PartText {
  std::string text{};      ///< Its function takes their memory as the last of its buffers.
  Extent panels = 0;       ///< How many numbers they are, in terms of the part; 0: it keeps none.
  DType dtype{};           ///< Of the numbers.
  bool per_outer = false;  ///< Whether they change with the outer loops of the grid.
  bool has_tiles = false;  ///< Whether it is a product that computes several rows at a time.
  /// The same panels as what an input keeps for later calls, if they change with it alone: `input`
  /// is the number of a buffer of the part.
  schedule::Kept lasting{};
  /// Of a product: how many columns a row has, how deep they are, and how many of them are not
  /// shared among threads.
  Extent columns = 0, depth = 0;
  int column_step = 1;
};

/// The memory that part `part`, the product `form`, could keep its panels in; none if they depend
/// on the rows of the block, or on what the block computes.
KeptPanels kept_panels(const schedule::BlockParts& parts, std::size_t part,
                       const ProductForm& form);

/// Part `part` as the function `name`. `outer` is the number of the outer loops of the grid.
/// Threads share the columns of products, if the block divides them.
PartText part_text(const schedule::BlockParts& parts, std::size_t part, std::size_t outer,
                   const std::string& name, const CppOptions& options);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/row_tile_panels.ipp>
#endif
