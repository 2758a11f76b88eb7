#pragma once
// The functions that a matrix product calls: they pack its operands, and compute its epilogue.

#include <cstddef>  // std::ptrdiff_t, std::size_t
#include <cstdint>  // std::int32_t
#include <string>   // std::string
#include <utility>  // std::pair

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cpp/nest/piece.hpp>
#include <sinter/codegen/cpp/product/decision.hpp>
#include <sinter/codegen/text/layout.hpp>
#include <sinter/codegen/text/piece_kernel.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/loop/nest.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/solve/variables.hpp>

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

namespace detail {

/// The kernel that a piece starts from: with all inputs and outputs, at one point of the batch.
inline PieceKernel product_piece(const ProductDecision& how) {
  PieceKernel piece;
  piece.kernel.vector_axis =
      how.options.target.vectors.bits == 0 ? VectorAxis::none : VectorAxis::grid;
  piece.kernel.arguments = how.kernel.arguments;
  piece.kernel.symbols = how.kernel.symbols;
  piece.kernel.checks_before = how.kernel.checks_before;
  for (const Loop& loop : how.form.batch) piece.add(loop, LoopRange::given);
  return piece;
}

// Adds the loops of a side, the last one over a part; returns the index within that part.
inline Extent add_side(PieceKernel& piece, const Vector<Loop>& loops) {
  if (loops.empty()) return 0;
  for (std::size_t i = 0; i + 1 < loops.size(); ++i) piece.add(loops[i], LoopRange::given);
  return loops.back().variable - piece.add(loops.back(), LoopRange::part);
}

// Adds the loops of the depth, perhaps over a block of steps; returns the index within that.
inline Extent add_depth(const ProductDecision& how, PieceKernel& piece, bool block) {
  const Vector<Loop>& depth = how.form.depth;
  const std::size_t divided = how.step_loops - 1;
  Extent first = 0;
  for (std::size_t i = 0; i < depth.size(); ++i) {
    const bool part = block && i == divided;
    first += piece.add(depth[i], part                   ? LoopRange::part
                                 : block && i < divided ? LoopRange::given
                                                        : LoopRange::whole);
  }
  if (!block) return flat_index(depth);
  return flat_index({depth.begin() + static_cast<std::ptrdiff_t>(divided), depth.end()}) -
         first * how.inner;
}

/// Whether all that the epilogue accesses is as far apart along all `loops` as along the last one.
inline bool has_flat_epilogue(const ProductDecision& how, const Vector<Loop>& loops) {
  Vector<bool> used(how.kernel.instructions.size(), false);
  for (const ValueId root : epilogue_roots(how.kernel)) {
    mark_used(how.kernel, root, how.form.sum, used);
  }
  for (std::size_t id = 0; id < used.size(); ++id) {
    if (!used[id] || static_cast<ValueId>(id) == how.form.sum) continue;
    for (const Extent extent : extents_of(how.kernel.instructions[id])) {
      const bool varies =
          any_of(loops, [&](const Loop& loop) { return depends_on(extent, loop.variable); });
      if (varies && !flat_step(extent, loops)) return false;
    }
  }
  return true;
}

/// Copies the epilogue, which loads the sums from `index`; with `flat` loops, which become one loop
/// over a part. `index` is called with the index within that part, or 0.
inline void copy_epilogue(PieceKernel& piece, const ProductDecision& how, const Vector<Loop>& flat,
                          FunctionRef<Extent(Extent at)> index) {
  Vector<std::pair<Extent, Extent>> joined;
  Extent at = 0;
  if (!flat.empty()) {
    const std::int64_t all = count_of(flat).number();
    const Loop one{Extent::range(schedule::next_range(how.kernel), all), all};
    at = one.variable - piece.add(one, LoopRange::part);
    for (const Loop& loop : flat) joined.emplace_back(loop.variable, 0);
    joined.back().second = one.variable;
  }
  piece.copy(how.kernel, epilogue_roots(how.kernel), how.form.sum, index(at));
  if (joined.empty()) return;
  for (Instruction& one : piece.kernel.instructions) {
    schedule::for_each_extent(one, [&](Extent& extent) {
      if (!extent.is_number()) extent = substitute(extent, joined);
    });
  }
}

inline std::string piece_text(const ProductDecision& how, const PieceKernel& piece,
                              const std::string& name) {
  return Piece(piece, how.options).function(name);
}

// Chooses the rows to prefetch: those that the epilogue of a tile reads or writes. A tile touches
// only a few cache lines of each, too far apart for the hardware prefetcher.
inline Vector<PrefetchedRows> prefetched_rows(const ProductDecision& how, const Kernel& epilogue) {
  if (how.method != ProductDecision::Method::tiles || how.form.rows.size() != 1 ||
      how.form.columns.size() != 1)
    return {};
  if (bounds(how.depth).max < how.limits().fewest_prefetching_steps) return {};
  Vector<PrefetchedRows> result;
  for (const Instruction& one : epilogue.instructions) {
    const bool is_written = one.code == Code::store;
    if (one.code != Code::load && !is_written) continue;
    if (static_cast<std::size_t>(one.argument) >= how.kernel.arguments.size())
      continue;  // the tile
    const auto along = coefficient_of(one.index, how.form.columns[0].variable);
    const auto down = coefficient_of(one.index, how.form.rows[0].variable);
    if (!along || !same(*along, 1) || !down || same(*down, 0)) continue;
    const auto known = find_if(result, [&](const PrefetchedRows& other) {
      return other.argument == one.argument && same(other.index, one.index);
    });
    if (known == result.end()) {
      result.push_back({one.argument, one.index, *down, is_written});
    } else {
      known->is_written |= is_written;
    }
  }
  return result;
}

}  // namespace detail

/// The function "name_left", which packs a block of `left`.
inline std::string left_piece(const ProductDecision& how, const std::string& name) {
  PieceKernel piece = detail::product_piece(how);
  piece.add_matrix(how.packed, Access::write);
  Extent index = 0;
  if (how.left == ProductDecision::Packing::rows) {
    index = detail::add_side(piece, how.form.rows) * how.block_pitch;
    index += detail::add_depth(how, piece, false);
  } else {
    for (std::size_t i = 0; i + 1 < how.form.rows.size(); ++i)
      piece.add(how.form.rows[i], LoopRange::given);
    index = detail::add_depth(how, piece, how.left == ProductDecision::Packing::transposed) *
            detail::column_rows;
    index += how.form.rows.back().variable - piece.add(how.form.rows.back(), LoopRange::part);
  }
  piece.store(piece.copy(how.kernel, {how.left_value}, -1, 0)[0], index);
  return detail::piece_text(how, piece, name + "_left");
}

/// The function "name_right", which packs a panel of `right`.
inline std::string right_piece(const ProductDecision& how, const std::string& name) {
  PieceKernel piece = detail::product_piece(how);
  piece.add_matrix(how.packed, Access::write);
  const Vector<Loop>& columns = how.form.columns;
  Extent index = 0;
  if (how.right == ProductDecision::Packing::rows) {
    index = detail::add_side(piece, columns) * how.column_pitch();
    index += detail::add_depth(how, piece, how.packs_by_depth_blocks());
  } else {
    for (std::size_t i = 0; i + 1 < columns.size(); ++i) piece.add(columns[i], LoopRange::given);
    index = detail::add_depth(how, piece, how.packs_by_depth_blocks()) * how.micro_pitch;
    index += columns.back().variable - piece.add(columns.back(), LoopRange::part);
  }
  piece.store(piece.copy(how.kernel, {how.right_value}, -1, 0)[0], index);
  return detail::piece_text(how, piece, name + "_right");
}

/// The function "name_finish": the epilogue, which reads the sums from the tile.
inline EpiloguePiece epilogue_piece(const ProductDecision& how, const std::string& name) {
  PieceKernel piece = detail::product_piece(how);
  piece.add_matrix(how.dtype, Access::read);
  Extent index = detail::add_side(piece, how.form.rows) * how.pitch;
  index += detail::add_side(piece, how.form.columns);
  piece.copy(how.kernel, detail::epilogue_roots(how.kernel), how.form.sum, index);
  return {.text = detail::piece_text(how, piece, name + "_finish"),
          .prefetched = detail::prefetched_rows(how, piece.kernel)};
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
