#pragma once
// The compiled segments of functions that are traced on every call. A segment is looked up by what
// the trace recorded before it.

#include <cstdint>  // std::uint32_t
#include <string>   // std::string
#include <vector>   // std::vector

#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/config.hpp>
#include <sinter/jit/state/number_inputs.hpp>
#include <sinter/jit/state/variant.hpp>
#include <sinter/trace/value/tape.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

struct Update;

}  // namespace sinter::inline SINTER_ABI::detail::schedule

namespace sinter::inline SINTER_ABI::detail::jit {

/// A floating-point constant of the program, at a position on the tape.
struct NumberOnTape {
  std::uint32_t position = 0;
  std::uint64_t bits = 0;  ///< Its value when the graph was compiled.
  bool is_input = false;   ///< Each call supplies it, because it changed between calls.
};

/// What a traced call executes at once: up to a graph break, or up to its end.
struct Segment {
  Graph graph{};
  Runnable runnable{};
  Vector<std::uint32_t> inputs{};         ///< Positions of its inputs on the tape.
  Vector<std::uint32_t> outputs{};        ///< Positions of its outputs, each with all results.
  Vector<NumberOnTape> numbers{};         ///< Constants of the graph.
  Vector<schedule::Update> updates;       ///< (input, output) pairs of the graph.
  Vector<bool> has_grad{};  ///< Which outputs depend on inputs that require gradients.
  SharedPtr<const Callee> callee{};        ///< If any does: for these gradients.
  bool is_interim = false;                 ///< The background compilation will replace it.
  Device device = cpu();                   ///< Where it runs.
  bool is_cached = true;                   ///< False if it is interpreted for this call only.
  double compile_seconds = 0;              ///< What compiling it took.
  std::uint64_t recording = 0;             ///< The traced call that made it.
  mutable std::uint64_t last_used = 0;     ///< Guarded by the mutex of its Segments.
};

/// What a traced call did: for statistics and explanations.
struct TraceReport {
  Vector<SharedPtr<const Segment>> segments{};
  std::vector<Break> breaks{};
  std::vector<std::int64_t> symbols{};
  std::int64_t allocations = 0;
  std::string moved{};    ///< A leaf that got new memory, because its tensor is held elsewhere.
  bool compiled = false;  ///< Something new was compiled.
  bool interpreted = false;
};

/// Finds segments by key: the hash of everything that the trace recorded, except floating-point
/// constants. Thread-safe.
class Segments {
 public:
  /// The segment for the constants on `tape`; null if none is compiled.
  SharedPtr<const Segment> find(const Hash& key, const Tape& tape) const;
  void add(const Hash& key, SharedPtr<const Segment> segment);
  /// Replaces `segment` by `next`, if it is still there.
  void replace(const Hash& key, const Segment& segment, SharedPtr<const Segment> next);

  /// Removes the segments of the traced call that was used least recently, and returns them.
  Vector<SharedPtr<const Segment>> evict();

  /// As NumberInputs, for the graphs of these segments.
  bool knows_numbers(const Hash& kind, std::size_t numbers) const;
  Vector<bool> choose_inputs(const Hash& kind, Span<const std::uint64_t> numbers, bool may_differ);
  void clear();

 private:
  static constexpr std::size_t most = 4096;

  mutable ProcessMutex mutex_;
  HashMap<Hash, Vector<SharedPtr<const Segment>>, HashOfHash> segments_;
  NumberInputs numbers_;
  std::size_t count_ = 0;
  mutable std::uint64_t uses_ = 0;  // the clock of Segment::last_used
};

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/state/segment.ipp>
#endif
