#pragma once
// Which kernels can run row by row as one: pieces whose rows are the same points of their grids.

#include <cstdint>        // std::int32_t
#include <unordered_map>  // std::unordered_map
#include <vector>         // std::vector

#include <sinter/config.hpp>
#include <sinter/schedule/lower/kernels.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// A kernel of a group.
struct Piece {
  std::size_t kernel = 0;  ///< Its position.
  Index rows{};            ///< For each loop over the rows of the group: its variable here.
};

/// Kernels that run for the same rows, in the order of their positions. The last loop over rows is
/// the one whose neighbours form blocks.
struct Group {
  std::vector<Piece> pieces{};
  bool is_single = false;  ///< Neighbours share nothing: each row is a block of its own.
};

/// Who writes and who reads the memory of nodes.
class Traces {
 public:
  Traces(const Graph& graph, const std::vector<Lowered>& kernels);

  const Shape& shape(NodeId node) const { return graph_[node].results[0].shape; }
  /// The kernel that writes `node`; -1 if none does, or several.
  std::int32_t writer(NodeId node) const;
  /// Whether `kernel` writes `node`, alone or with others.
  bool writes(std::size_t kernel, NodeId node) const;
  /// The kernels that read `node`, ascending.
  const std::vector<std::size_t>& readers(NodeId node) const;
  /// True if it is an output of the graph.
  bool is_output(NodeId node) const;

  /// The index into `node` of each instruction of `code` in kernel `k` that accesses it.
  std::vector<Index> indices(std::size_t k, NodeId node, Code code) const;
  /// The axes of `node` that the rows of `piece`, which writes it, go along; empty if a row does
  /// not have an axis of its own.
  std::vector<int> row_axes(const Piece& piece, NodeId node) const;
  /// Whether `piece` reads only what its own row wrote to the axes of `node`.
  bool reads_rows(const Piece& piece, NodeId node, const std::vector<int>& axes) const;

 private:
  const Graph& graph_;
  const std::vector<Lowered>& kernels_;
  std::unordered_map<NodeId, std::vector<std::size_t>> writers_{}, readers_{};
  std::vector<bool> outputs_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/tile/row_group.ipp>
#endif
