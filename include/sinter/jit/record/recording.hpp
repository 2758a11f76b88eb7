#pragma once
// The recording of a function: a graph, its guard, and what its inputs and outputs are.

#include <cstdint>  // std::int64_t
#include <utility>  // std::pair

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/sorted_map.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/guard/guard.hpp>
#include <sinter/trace/core/recorder.hpp>

namespace sinter::inline SINTER_ABI::detail {

namespace schedule {
struct Update;
}  // namespace schedule

}  // namespace sinter::inline SINTER_ABI::detail

namespace sinter::inline SINTER_ABI::detail::jit {

/// The (leaf, dimension) pairs that are recorded as dynamic because their size changed before.
using Varying = SortedSet<std::pair<std::size_t, int>>;

/// A host function that every replay calls on its `operands`, the next outputs of the graph.
struct HostCallback {
  SharedPtr<const HostFunction> function{};
  std::size_t operands = 0;
};

/// A recorded function as a graph. Inputs: the leaves, in order; seed and offset if it is random;
/// then captured elements, made while recording. Outputs: the tensors of the result, in order; then
/// the new values of leaves; then the operands of host functions.
struct Recording {
  Graph graph{};
  guard::Guard guard{};
  std::size_t leaves = 0;               ///< Inputs that are leaves.
  std::size_t results = 0;              ///< Outputs that are results.
  Vector<std::int32_t> changed{};       ///< The leaf that each output after the results updates.
  Vector<HostCallback>
      host_callbacks{};  ///< In call order. If there are any, nothing is updated in place.
  /// If the call is differentiated outside of recordings: which inputs require gradients, and which
  /// outputs depend on those. The last outputs are then the values saved for the backward graph,
  /// and nothing is updated in place.
  Vector<bool> requires_grad{}, has_grad{};
  Vector<Storage> captured{};  ///< The last inputs.
  bool is_random = false;
  std::int64_t draws = 0;  ///< Random draws of a call, including those that no result needs.
  Device device = cpu();   ///< Where it runs.
  /// The function changed the structure of its arguments. New values are then put into a copy of
  /// the arguments as the recorded call left them.
  bool changes_structure = false;
  /// Then: for each tensor of the arguments after the call, the leaf that it was before; -1 for the
  /// next output after the results.
  Vector<std::int32_t> source_leaves{};
  Vector<TensorType> types{};    ///< The types of the leaf placeholders, in these symbols:
  Vector<SizeSymbol> symbols{};  ///< The size symbols before the function was called.

  /// The (leaf, output) pairs that may share memory.
  Vector<schedule::Update> updates() const;
};

/// Adds the values that the backward graph reads to the outputs of `recording`. `leaves` are its
/// leaves, `placeholders` those of the call. See RequiresGradScope.
void save_for_gradients(Recording& recording, Span<const Tensor> leaves,
                        Span<const Tensor> placeholders);

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/record/recording.ipp>
#endif
