#pragma once
// The graphs of what a run recorded so far: of values on its tape, and of all that somebody holds.

#include <cstdint>        // std::uint32_t
#include <span>           // std::span
#include <unordered_set>  // std::unordered_set
#include <vector>         // std::vector

#include <sinter/base/hash.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/jit/record/session.hpp>
#include <sinter/jit/state/segment.hpp>
#include <sinter/schedule/ir/plan.hpp>
#include <sinter/trace/core/extract.hpp>
#include <sinter/trace/value/tape.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// Of values on the tape of a run.
using Positions = std::vector<std::uint32_t>;

/// The new value of a leaf, at a position on the tape.
struct NewValue {
  const Lazy* placeholder = nullptr;
  std::int32_t leaf = -1;  ///< -1 for state that the run created.
  std::uint32_t position = 0;
};

namespace detail {

bool is_input(const Lazy& lazy);
/// True if `input` is one of these placeholders of leaves.
bool is_leaf_of(const Lazy& input, const std::vector<Tensor>& placeholders);
/// What a placeholder of the session is in the place of; null for values of its own.
const Tensor* real_of(const RecordingSession& session, const Lazy& input);

/// Values that something other than values of the run refers to: a result, an argument, a capture.
Positions held(const Recorder& recorder);
/// Those that are wanted, and what they need that somebody holds as well, so that it is computed
/// once.
Positions with_held(const Recorder& recorder, Positions wanted);
/// Where an output is on a GPU, there.
Device device_of(const Tape& tape, const Positions& outputs);

/// How the graph of a run is extracted.
struct Extraction {
  Detached detached{};
  bool fixes_sizes = false;  ///< The run goes on, so sizes of this call are numbers.
};

/// The graph of all results of `outputs`, in which `numbers` are inputs; and its inputs, those
/// included whose memory `updates` may take.
Graph extract(const RecordingSession& session, const Extraction& form, const Positions& outputs,
              std::unordered_set<const Lazy*> numbers, std::vector<Tensor>& inputs,
              std::span<const NewValue> updates);
/// Equal for runs that compute the same `outputs`, but for floating numbers. Sizes of this call are
/// numbers in the graphs before the end; so they are part of it. `wanted` are the leaves that
/// gradients are being found for.
Hash key_of(const RecordingSession& session, const Positions& outputs,
            std::span<const NewValue> updates, const std::vector<bool>& wanted);
/// Pairs of input and output of the graph of `segment` that may share memory.
std::vector<schedule::Update> updates_of(const Tape& tape, const Segment& segment,
                                         const std::vector<Tensor>& inputs,
                                         std::span<const NewValue> updates);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/run/tape_graph.ipp>
#endif
