#pragma once
// The graphs of functions that run on every call. Each is compiled once, and found again by what
// the run did before it.

#include <cstdint>        // std::uint32_t
#include <memory>         // std::shared_ptr
#include <span>           // std::span
#include <string>         // std::string
#include <unordered_map>  // std::unordered_map
#include <vector>         // std::vector

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

/// A floating number of the program, at a position on the tape.
struct NumberOnTape {
  std::uint32_t position = 0;
  std::uint64_t bits = 0;  ///< What it was when the graph was made.
  bool is_input = false;   ///< It changed since then, so each call supplies it.
};

/// What a run computes at a time: up to a read on the host, or to its end.
struct Segment {
  Graph graph{};
  Runnable runnable{};
  std::vector<std::uint32_t> inputs{};    ///< Where on the tape its inputs are.
  std::vector<std::uint32_t> outputs{};   ///< Where its outputs are, each with all its results.
  std::vector<NumberOnTape> numbers{};    ///< Of the graph.
  std::vector<schedule::Update> updates;  ///< Pairs of input and output of the graph.
  std::vector<bool> varying{};  ///< The outputs that vary with what gradients are being found for.
  std::shared_ptr<const Callee> callee{};  ///< Then: for these gradients.
  bool is_interim = false;                 ///< Another takes its place when it is compiled.
  Device device = cpu();                   ///< Where it runs.
  bool is_kept = true;                     ///< False if it is interpreted for one call.
};

/// What became of a run: for statistics and explanations.
struct RunReport {
  std::vector<std::shared_ptr<const Segment>> segments{};
  std::vector<Break> breaks{};
  std::vector<std::int64_t> symbols{};
  std::int64_t allocations = 0;
  std::string moved{};    ///< A leaf whose new value has other memory, because it is held.
  bool compiled = false;  ///< Something was compiled that was not known.
  bool interpreted = false;
};

/// Finds segments by key, which stands for all that a run did but for its floating numbers. Safe
/// from several threads.
class Segments {
 public:
  /// The segment for these numbers; null if there is none that is compiled.
  std::shared_ptr<const Segment> find(const Hash& key, const Tape& tape) const;
  void add(const Hash& key, std::shared_ptr<const Segment> segment);
  /// Puts `next` in the place of `segment`, if that is still there.
  void replace(const Hash& key, const Segment& segment, std::shared_ptr<const Segment> next);

  /// As NumberInputs, for the graphs of these segments.
  bool knows_numbers(const Hash& kind, std::size_t numbers) const;
  std::vector<bool> choose_inputs(const Hash& kind, std::span<const std::uint64_t> numbers,
                                  bool may_differ);
  void clear();

 private:
  static constexpr std::size_t most = 4096;

  mutable ProcessMutex mutex_;
  std::unordered_map<Hash, std::vector<std::shared_ptr<const Segment>>, HashOfHash> segments_;
  NumberInputs numbers_;
  std::size_t count_ = 0;
};

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/state/segment.ipp>
#endif
