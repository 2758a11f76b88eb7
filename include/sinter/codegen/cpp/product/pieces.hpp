#pragma once
// The functions that a matrix product calls: they pack its operands, and compute its epilogue.

#include <cstdint>  // std::int32_t
#include <string>   // std::string

#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cpp/product/decision.hpp>
#include <sinter/codegen/text/piece_kernel.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// Rows of an argument that the epilogue of a tile reads or writes.
struct PrefetchedRows {
  std::int32_t argument = -1;
  Extent index = 0, stride = 0;
  bool is_written = false;
};

/// The text of the epilogue, and the rows that are worth prefetching for it.
struct EpiloguePiece {
  std::string text{};
  Vector<PrefetchedRows> prefetched{};
};

/// The function "name_left", which packs a block of `left`.
std::string left_piece(const ProductDecision& how, const std::string& name);
/// The function "name_right", which packs a panel of `right`.
std::string right_piece(const ProductDecision& how, const std::string& name);
/// The function "name_finish": the epilogue, which reads the sums from the tile.
EpiloguePiece epilogue_piece(const ProductDecision& how, const std::string& name);

namespace detail {

/// The kernel that a piece starts from: with all inputs and outputs, at one point of the batch.
PieceKernel product_piece(const ProductDecision& how);
std::string piece_text(const ProductDecision& how, const PieceKernel& piece,
                       const std::string& name);
/// Whether all that the epilogue accesses is as far apart along all `loops` as along the last one.
bool has_flat_epilogue(const ProductDecision& how, const Vector<Loop>& loops);
/// Copies the epilogue, which loads the sums from `index`; with `flat` loops, which become one loop
/// over a part. `index` is called with the index within that part, or 0.
void copy_epilogue(PieceKernel& piece, const ProductDecision& how, const Vector<Loop>& flat,
                   FunctionRef<Extent(Extent at)> index);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/product/pieces.ipp>
#endif
