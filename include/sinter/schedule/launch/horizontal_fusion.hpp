#pragma once
// Horizontal fusion: independent kernels with the same text run as one batched launch, with serial
// kernels as prologue and epilogue.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::int64_t

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/target.hpp>
#include <sinter/schedule/lower/dependences.hpp>
#include <sinter/symbol/extent/extent.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// A kernel that is ready to be launched.
struct BatchCandidate {
  Hash text{};                ///< Equal for kernels that could share one text.
  bool can_batch = false;     ///< Can run in parallel with others: it has no checks.
  bool is_small = false;      ///< Keeps little in the arena, so it may be delayed.
  bool is_serial = false;     ///< Runs on one thread.
  Extent work = 0;            ///< Innermost iterations.
  Extent steps = 0;           ///< Approximate cost of these: see steps_of().
  Extent retained_bytes = 0;  ///< Bytes of the arena that only it uses last.
};

/// Kernels of one launch. The `parallel` ones are independent of each other. One thread runs the
/// `prologue` before all of them, in order, and one thread the `epilogue` after them.
struct Batch {
  Vector<std::size_t> prologue{}, parallel{}, epilogue{};
};

/// Batches `kernels`, which are in a valid order. A batch has kernels of one text with the same
/// depth, or without dependents. Cheap serial kernels become the prologue or epilogue of a batch
/// next to them. With LaunchBatching::equal, kernels at the head of a short chain of dependents may
/// also be batched by the length of that chain, where this gives the fewest batches.
Vector<Batch> create_batches(Span<const BatchCandidate> kernels, const Dependences& dependences,
                             const Target& target = {});

namespace detail {

/// Whether `extent` is a constant of at most `most`.
bool is_at_most(Extent extent, std::int64_t most);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/launch/horizontal_fusion.ipp>
#endif
