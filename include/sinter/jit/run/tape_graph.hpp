#pragma once
// Graphs extracted from the tape of a trace: of given values, or of all values that escape.

#include <cstdint>  // std::uint32_t
#include <vector>   // std::vector

#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/jit/record/tracer.hpp>
#include <sinter/jit/state/segment.hpp>
#include <sinter/schedule/ir/plan.hpp>
#include <sinter/trace/core/extract.hpp>
#include <sinter/trace/value/tape.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// Positions of values on the tape.
using Positions = Vector<std::uint32_t>;

/// The new value of a leaf, at a position on the tape.
struct LeafUpdate {
  const Lazy* placeholder = nullptr;
  std::int32_t leaf = -1;  ///< -1 for created state.
  std::uint32_t position = 0;
};

namespace detail {

bool is_input(const Lazy& lazy);
/// True if `input` is one of `placeholders`.
bool is_leaf_of(const Lazy& input, const std::vector<Tensor>& placeholders);
/// The tensor that a placeholder of the tracer stands for; null for inputs without one.
const Tensor* real_of(const Tracer& tracer, const Lazy& input);

/// Values that something outside of the tape refers to: a result, an argument, a capture.
Positions escaping_values(const Recorder& recorder);
/// `wanted`, and those of their operands that escape as well, so that each is computed once.
Positions with_escaping_operands(const Recorder& recorder, Positions wanted);
/// The GPU of the first output that is on one; otherwise the host.
Device device_of(const Tape& tape, const Positions& outputs);

/// How a graph is extracted from the tape.
struct Extraction {
  Detached detached{};
  bool fixes_sizes = false;  ///< The trace goes on, so sizes are the numbers of this call.
};

/// The graph of all results of `outputs`, with `numbers` as inputs. Sets `inputs` to its inputs,
/// which include the leaves that `updates` may update in place.
Graph extract(const Tracer& tracer, const Extraction& form, const Positions& outputs,
              HashSet<const Lazy*> numbers, std::vector<Tensor>& inputs,
              Span<const LeafUpdate> updates);
/// The key of a segment: equal for traces that compute the same `outputs`, up to floating-point
/// constants. It includes the sizes of this call, which are numbers in all segments but the last.
/// `requires_grad` says which leaves require gradients.
Hash key_of(const Tracer& tracer, const Positions& outputs, Span<const LeafUpdate> updates,
            const Vector<bool>& requires_grad);
/// The (input, output) pairs of the graph of `segment` that may share memory.
Vector<schedule::Update> updates_of(const Tape& tape, const Segment& segment,
                                    const std::vector<Tensor>& inputs,
                                    Span<const LeafUpdate> updates);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/run/tape_graph.ipp>
#endif
