#pragma once
// What a call of a function recorded: a graph, what guards it, and what its inputs and outputs are.

#include <cstdint>  // std::int64_t
#include <memory>   // std::shared_ptr
#include <set>      // std::set
#include <span>     // std::span
#include <utility>  // std::pair
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/guard/guard.hpp>
#include <sinter/trace/core/recorder.hpp>

namespace sinter::inline SINTER_ABI::detail {

namespace schedule {
struct Update;
}  // namespace schedule

}  // namespace sinter::inline SINTER_ABI::detail

namespace sinter::inline SINTER_ABI::detail::jit {

/// Which dimensions of which leaf are recorded as dynamic, because they changed before.
using Varying = std::set<std::pair<std::size_t, int>>;

/// A host function that every replay calls with the next of the outputs.
struct HostCall {
  std::shared_ptr<const HostFunction> function{};
  std::size_t operands = 0;
};

/// What a recorded function computes, as a graph whose inputs are: the leaves, in order; seed and
/// offset, if it is random; and elements that were made while recording. Its outputs are: the
/// tensors of the result, in order; then the new values of leaves; then operands of host functions.
struct Recording {
  Graph graph{};
  guard::Guard guard{};
  std::size_t leaves = 0;               ///< Inputs that are leaves.
  std::size_t results = 0;              ///< Outputs that are results.
  std::vector<std::int32_t> changed{};  ///< The leaf that each further output is the new value of.
  std::vector<HostCall> host_calls{};   ///< In order; with any, nothing is updated in place.
  /// While gradients are found outside of recordings: the inputs for which they are, and the
  /// outputs that vary with these. The last outputs are then what the gradients need; nothing is
  /// updated in place.
  std::vector<bool> wanted{}, varying{};
  std::vector<Storage> captured{};  ///< The last inputs.
  bool is_random = false;
  std::int64_t draws = 0;  ///< Random draws of a call, those included that no result needs.
  Device device = cpu();   ///< Where it runs.
  /// The function changed which tensors its arguments hold, so new values are put into a copy of
  /// the arguments as they were when it returned.
  bool changes_structure = false;
  /// Then: for each tensor of the arguments afterwards, the leaf that it is, or -1 for the next of
  /// the outputs that are no results.
  std::vector<std::int32_t> kept{};
  std::vector<TensorType> types{};    ///< Of the placeholders of leaves, in terms of these:
  std::vector<SizeSymbol> symbols{};  ///< As they were before the function was called.

  /// The pairs of leaf and output that may share memory.
  std::vector<schedule::Update> updates() const;
};

/// Makes what the gradients that are being found need outputs of `recording`, whose leaves are
/// `leaves`; `placeholders` are those of the call. See WantedScope.
void save_for_gradients(Recording& recording, std::span<const Tensor> leaves,
                        std::span<const Tensor> placeholders);

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/record/recording.ipp>
#endif
