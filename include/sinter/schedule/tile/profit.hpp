#pragma once
// What a row tile group hands on and shares, and whether it pays to run its kernels as one.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::int64_t
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/schedule/tile/links.hpp>
#include <sinter/schedule/tile/row_group.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

/// What the pieces of groups of kernels are: which are products, and what those multiply.
struct GroupPieces {
  const Graph& graph;
  const std::vector<Lowered>& kernels;
  bool streams = false;  // whether blocks are kernels of a GPU
  Traces traces{graph, kernels};
  Links links{kernels, traces, streams};

  const Kernel& kernel(const Piece& piece) const { return kernels[piece.kernel].kernel; }
  bool is_product(const Piece& piece) const;
  /// Whether `piece` is a product that has columns in each row; one without is a reduction of rows.
  bool has_columns(const Piece& piece) const;
  const Piece& piece_of(const Group& group, std::size_t k) const;
  static int row_of(const Piece& piece, Extent variable);
  /// The loops of the grid that are no rows.
  std::vector<Loop> columns(const Piece& piece) const;
  bool has(const Group& group, std::size_t k) const;
  /// Whether what `piece` reads of `node` is multiplied by it, a product: not only added, for
  /// example, to what it gives.
  bool multiplies(const Piece& piece, NodeId node) const;
  /// Whether the loop over the last row of `piece`, a product, is one of its columns.
  bool is_turned(const Piece& piece) const;
  /// Whether `piece`, a product, has short sums and nothing to tile: one of its factors goes along
  /// all loops that the other one does.
  bool is_short_row(const Piece& piece) const;
  /// Whether a factor of `piece`, a product, goes along the last of several rows and no other: it
  /// would be packed once for each row of the others, for few columns each time.
  bool repeats_a_factor(const Piece& piece) const;
  /// Whether the factor that the rows of `piece`, a product, share is another one for each of
  /// `rows`.
  bool varies_with(const Piece& piece, const Index& rows) const;
};

/// What a group of kernels hands on and shares, and whether it pays to run them as one.
struct GroupCost : GroupPieces {
  /// What `piece` writes that others of the group read.
  std::vector<NodeId> handed_on(const Group& group, const Piece& piece) const;
  /// Whether rows are handed on as they are.
  bool hands_on_rows(const Group& group) const;
  /// What is handed on of one row, as far as its size is known.
  std::int64_t row_bytes(const Group& group) const;
  /// How many elements the factor has that the rows of `piece`, a product, share; 0 if that is not
  /// known, or if one of its sides is narrow: what is handed on is much wider than all that it is
  /// made from then, and had better not be written to memory.
  std::int64_t shared_elements(const Piece& piece) const;
  /// Whether `piece`, no product, reads neighbouring rows one behind the other, but what is of one
  /// row far apart: row by row it would read the same lines of memory again and again.
  bool reads_across(const Group& group, const Piece& piece) const;
  static bool is_unit(Extent index, Extent variable);
  /// Whether what is handed on is as many bytes as blocks read more than kernels apart would: those
  /// have many rows for each time that they read a factor, also where each block has few.
  bool saves(const Group& group, std::int64_t outer, std::int64_t last) const;
  /// Whether the products of `group` have factors of their own for each of the outer rows.
  bool varies(const Group& group) const;
  /// Whether threads can share the columns of the products, as they do where products run alone,
  /// and compute again what comes before them: nobody in the group reads what a product gives, and
  /// the rest writes no memory. See BlockParts::divides().
  bool divides(const Group& group) const;
  static std::int64_t most(const std::vector<Loop>& loops);
  /// Whether a GPU that streams over the columns has as much to do at once as with kernels apart.
  bool keeps_busy(const Group& group) const;
  /// Whether there are rows enough, and not too much to read again for each block of them.
  bool pays(const Group& group) const;
  bool has_few_instructions(const Group& group) const;
  /// The products of `group` that read what `piece`, one of them, gives, itself or through others;
  /// but not one that only adds its elements, say, to those that it gives.
  std::vector<std::size_t> next_products(const Group& group, const Piece& piece) const;
  /// Whether each two products, one of which needs the other, may share a kernel.
  bool is_linked(const Group& group) const;
};

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/tile/profit.ipp>
#endif
