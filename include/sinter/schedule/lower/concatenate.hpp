#pragma once
// Parts of concatenations that other kernels compute, stored where they belong at once.

#include <unordered_map>  // std::unordered_map
#include <vector>         // std::vector

#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>
#include <sinter/schedule/lower/lowerer.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

struct Lowered;

/// Finds out which kernels write which nodes, and lets them write more.
class PartPlacer {
 public:
  PartPlacer(const Graph& graph, std::vector<Lowered>& kernels)
      : graph_(graph), kernels_(kernels) {}

  /// For each part of `of`, a concatenation: whether the kernels so far store its elements into
  /// the memory of `of` too, from now on. They do if the part is all of what they store, in its
  /// order, and what is contiguous in the part is so in the concatenation.
  std::vector<bool> place(NodeId of);

  /// Takes the stores of parts out that no kernel reads in memory of their own.
  void drop_unread();

 private:
  bool place(NodeId of, std::size_t part, Extent start);
  Extent moved(NodeId of, std::size_t part, Extent start, Extent index) const;
  bool is_output(NodeId node) const;
  void note_writers();

  const Graph& graph_;
  std::vector<Lowered>& kernels_;
  std::size_t noted_ = 0;  // kernels
  std::unordered_map<NodeId, std::vector<std::size_t>> writers_{};
  std::vector<NodeId> placed_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/lower/concatenate.ipp>
#endif
