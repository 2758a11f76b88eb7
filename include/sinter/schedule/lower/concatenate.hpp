#pragma once
// Concatenation in place: kernels that compute operands of a concatenation store them into its
// result.

#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>
#include <sinter/schedule/lower/lowerer.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

struct LoweredKernel;

/// Adds stores into the results of concatenations to the kernels that compute their operands.
class ConcatPlacer {
 public:
  ConcatPlacer(const Graph& graph, Vector<LoweredKernel>& kernels)
      : graph_(graph), kernels_(kernels) {}

  /// For each operand of the concatenation `of`: whether the kernels so far could be changed to
  /// store its elements into the memory of `of` too. That requires that the kernels only store to
  /// the operand, and that stores that are contiguous in the operand are so in the result.
  Vector<bool> place(NodeId of);

  /// Removes the stores to the memory of operands that no kernel reads.
  void drop_dead_stores();

 private:
  bool place(NodeId of, std::size_t operand, Extent start);
  Extent index_in_result(NodeId of, std::size_t operand, Extent start, Extent index) const;
  bool is_output(NodeId node) const;
  void note_writers();

  const Graph& graph_;
  Vector<LoweredKernel>& kernels_;
  std::size_t noted_ = 0;  // the number of kernels in writers_
  HashMap<NodeId, Vector<std::size_t>> writers_{};
  Vector<NodeId> placed_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/lower/concatenate.ipp>
#endif
