#pragma once
// Finds panels of products that are the same for many row tiles, which a thread packs once.

#include <string>  // std::string

#include <sinter/codegen/cpp/nest/options.hpp>
#include <sinter/codegen/cpp/product/product_text.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/tile/subkernels.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The text of a subkernel of a row tile, and the panels that its caller can keep for it.
struct SubkernelText {
  std::string text{};      ///< Its function takes their memory as its last buffer.
  Extent panels = 0;       ///< Their number of elements, in the subkernel's symbols; 0: none.
  DType dtype{};           ///< Of the panels.
  bool per_outer = false;  ///< Whether they change with the outer grid loops.
  bool has_tiles = false;  ///< Whether it is a product that computes several rows at a time.
  /// The same panels as those of an input that are kept between calls, if they depend on it alone;
  /// `input` is the number of a buffer of the subkernel.
  schedule::PackedInput packed_input{};
  /// Of a product: its columns, its depth, and how many columns stay with one thread.
  Extent columns = 0, depth = 0;
  int column_step = 1;
};

/// The panels that part `part`, the product `form`, can share among row tiles; none if they depend
/// on the rows of a tile, or on what a tile computes.
SharedPanels shared_panels(const schedule::Subkernels& parts, std::size_t part,
                           const ProductForm& form);

/// Part `part` as the function `name`. `outer` is the number of outer grid loops. Threads share the
/// columns of products if the kernel divides them.
SubkernelText subkernel_text(const schedule::Subkernels& parts, std::size_t part, std::size_t outer,
                             const std::string& name, const CppOptions& options);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/row_tile_panels.ipp>
#endif
