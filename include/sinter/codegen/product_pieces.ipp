#pragma once

// The functions that a product calls: they pack its operands, and finish its sums.

#include <algorithm>  // std::find_if

#include <sinter/codegen/product_text.hpp>
#include <sinter/symbol/interval.hpp>
#include <sinter/symbol/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {
// A shallower product completes a tile before prefetched lines arrive.
inline constexpr std::int64_t least_prefetching_depth = 64;
}  // namespace detail

// The kernel that a piece starts from: its inputs and outputs, at one point of the batch.
SINTER_INLINE PieceKernel ProductText::new_piece() const {
  PieceKernel piece;
  piece.kernel.vector_axis = options_.vector_bits == 0 ? VectorAxis::none : VectorAxis::grid;
  piece.kernel.arguments = kernel_.arguments;
  piece.kernel.symbols = kernel_.symbols;
  piece.kernel.checks_before = kernel_.checks_before;
  for (const Loop& loop : form_.batch) piece.add(loop, Span::given);
  return piece;
}

// Adds the loops of a side, the last of which runs over a part; the index within that part.
SINTER_INLINE Extent ProductText::add_side(PieceKernel& piece,
                                           const std::vector<Loop>& loops) const {
  if (loops.empty()) return 0;
  for (std::size_t i = 0; i + 1 < loops.size(); ++i) piece.add(loops[i], Span::given);
  return loops.back().variable - piece.add(loops.back(), Span::part);
}

// Adds the loops of the depth, of which a part may be the first; the index within it.
SINTER_INLINE Extent ProductText::add_depth(PieceKernel& piece, bool part) const {
  Extent first = 0;
  for (std::size_t i = 0; i < form_.depth.size(); ++i) {
    const Span span = part && i == 0 ? Span::part : Span::whole;
    first += piece.add(form_.depth[i], span);
  }
  return flat_index(form_.depth) - first * inner_;
}

SINTER_INLINE void ProductText::write_piece(const PieceKernel& piece, const std::string& suffix) {
  pieces_ += Piece(piece, options_.vector_bits, options_.strict).function(text(name_, "_", suffix));
}

SINTER_INLINE void ProductText::write_left_piece() {
  PieceKernel piece = new_piece();
  piece.add_matrix(packed_, Access::write);
  Extent index = 0;
  if (left_ == Packing::rows) {
    index = add_side(piece, form_.rows) * block_pitch_;
    index += add_depth(piece, false);
  } else {
    for (std::size_t i = 0; i + 1 < form_.rows.size(); ++i) piece.add(form_.rows[i], Span::given);
    index = add_depth(piece, left_ == Packing::turned) * detail::column_rows;
    index += form_.rows.back().variable - piece.add(form_.rows.back(), Span::part);
  }
  piece.store(piece.copy(kernel_, {left_value_}, -1, 0)[0], index);
  write_piece(piece, "left");
}

SINTER_INLINE void ProductText::write_right_piece() {
  PieceKernel piece = new_piece();
  piece.add_matrix(packed_, Access::write);
  const std::vector<Loop>& columns = form_.columns;
  Extent index = 0;
  if (right_ == Packing::rows) {
    index = add_side(piece, columns) * depth_;
    index += add_depth(piece, packs_by_parts());
  } else {
    for (std::size_t i = 0; i + 1 < columns.size(); ++i) piece.add(columns[i], Span::given);
    index = add_depth(piece, packs_by_parts()) * pitch_;
    index += columns.back().variable - piece.add(columns.back(), Span::part);
  }
  piece.store(piece.copy(kernel_, {right_value_}, -1, 0)[0], index);
  write_piece(piece, "right");
}

// All that comes behind the sum, which is read from the tile.
SINTER_INLINE void ProductText::write_finish_piece() {
  PieceKernel piece = new_piece();
  piece.add_matrix(dtype_, Access::read);
  Extent index = add_side(piece, form_.rows) * pitch_;
  index += add_side(piece, form_.columns);
  std::vector<ValueId> roots;
  for (std::size_t id = 0; id < kernel_.instructions.size(); ++id) {
    const Instruction& one = kernel_.instructions[id];
    const bool acts = one.code == Code::store || schedule::can_fault(one);
    if (acts) roots.push_back(static_cast<ValueId>(id));
  }
  piece.copy(kernel_, roots, form_.sum, index);
  choose_prefetched(piece.kernel);
  write_piece(piece, "finish");
}

// Chooses the rows to prefetch: those that the finish of a tile reads or writes. A tile touches
// only a few cache lines of each, too far apart for the hardware prefetcher.
SINTER_INLINE void ProductText::choose_prefetched(const Kernel& finish) {
  if (method_ != Method::tiles || form_.rows.size() != 1 || form_.columns.size() != 1) return;
  if (bounds(depth_).max < detail::least_prefetching_depth) return;
  for (const Instruction& one : finish.instructions) {
    const bool is_written = one.code == Code::store;
    if (one.code != Code::load && !is_written) continue;
    if (static_cast<std::size_t>(one.argument) >= kernel_.arguments.size()) continue;  // the tile
    const auto along = coefficient_of(one.index, form_.columns[0].variable);
    const auto down = coefficient_of(one.index, form_.rows[0].variable);
    if (!along || !same(*along, 1) || !down || same(*down, 0)) continue;
    const auto known =
        std::find_if(prefetched_.begin(), prefetched_.end(), [&](const PrefetchedRows& other) {
          return other.argument == one.argument && same(other.index, one.index);
        });
    if (known == prefetched_.end()) {
      prefetched_.push_back({one.argument, one.index, *down, is_written});
    } else {
      known->is_written |= is_written;
    }
  }
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
