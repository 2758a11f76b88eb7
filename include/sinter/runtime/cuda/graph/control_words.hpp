#pragma once
// Where the bodies of branches and loops find their arguments, when a GPU runs them by itself.

#include <cstdint>  // std::int64_t
#include <span>     // std::span
#include <vector>   // std::vector

#include <sinter/base/loop_table.hpp>
#include <sinter/config.hpp>
#include <sinter/runtime/cuda/faults.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

/// Places in an arena start at multiples of 256 bytes.
inline Extent rounded_up(const Extent& bytes) { return ceil_div(bytes, 256) * 256; }

}  // namespace detail

struct BodyPlace;

/// A branch or a loop, and its words.
struct ControlPlace {
  const schedule::Control* control = nullptr;
  long table = -1;       ///< The LoopTable of a loop.
  long condition = -1;   ///< With the address of the condition of a branch or while_loop.
  // All of the plan: a loop whose data is wrong because something before it was at fault may never
  // end.
  long faults = 0;       ///< With the address of the first Fault of the plan, which follow each
  long fault_count = 0;  ///< other.
  std::vector<BodyPlace> bodies;  // incomplete here: clang takes no initializer
};

/// A plan, or a body of one, and its words.
struct BodyPlace {
  const schedule::Plan* plan = nullptr;
  std::vector<long> words{};                   ///< With the address of each buffer.
  std::vector<std::vector<long>> arguments{};  ///< Of each launch of a kernel in a body, in order.
  std::vector<ControlPlace> controls{};        ///< Of each launch of a branch or loop, in order.
};

/// All words of a plan, in memory of the GPU. The host writes all of them at once. Kernels write
/// those that differ from step to step, before they read them.
class ControlWords {
 public:
  /// For the branches and loops of `plan`, which outlives it; symbols are as in it.
  /// `faults` are the words of the plan for faults, those of bodies included.
  ControlWords(const schedule::Plan& plan, const CudaFaults& faults);

  const BodyPlace& place() const { return place_; }
  std::size_t count() const { return values_.size(); }
  /// What they hold, so far as it was said; valid until that changes.
  std::span<const std::uint64_t> values() const { return values_; }
  /// Memory that bodies need for what they compute on the way.
  std::int64_t arena_bytes(std::span<const std::int64_t> symbols) const;

  /// Says where the words themselves are, that memory, and the words for faults.
  void set_addresses(std::uint64_t words, std::uint64_t arena, std::uint64_t faults);
  /// Says where a buffer of the plan is.
  void set_buffer(std::size_t buffer, std::uint64_t address);
  void set_sizes(std::span<const std::int64_t> symbols);
  /// Whether a word was given another value since this was last asked.
  bool take_changed();

 private:
  // What a word holds: `value` by itself, or counted from where the words or the arena are.
  struct Content {
    enum class From : std::uint8_t { zero, words, arena, faults };
    long word = 0;
    Extent value = 0;
    From from = From::zero;
    std::uint64_t known = 0;  // for the sizes of the last call
  };

  long add_words(std::size_t count);
  long add_fault();
  long add(const Extent& value, Content::From from = Content::From::zero);
  void put(long word, const Extent& value);
  void set(long word, std::uint64_t value);
  BodyPlace body(const schedule::Plan& plan, std::span<const long> inputs,
                 std::span<const long> outputs, Extent& arena);
  ControlPlace control(const BodyPlace& around, const schedule::Launch& launch, Extent& arena);
  void place_branch(ControlPlace& place, std::span<const long> words, Extent& arena);
  void place_while(ControlPlace& place, std::span<const long> words, Extent& arena);
  void place_scan(ControlPlace& place, std::span<const long> words, Extent& arena);
  struct State {
    long current = 0, next = 0;  // words with the addresses that a step reads and writes
  };
  State put_state(const ControlPlace& place, std::span<const long> words, std::size_t number);
  long put_sequence(const ControlPlace& place, std::size_t number, long first, const Extent& bytes);

  BodyPlace place_;
  Extent arena_bytes_ = 0;
  std::vector<Content> contents_{};
  std::vector<std::uint64_t> values_{};
  std::size_t fault_bytes_ = 0;  // where the next launch that has checks finds its word
  long faults_ = 0, fault_count_ = 0;  // see ControlPlace
  bool changed_ = false;
};

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/cuda/graph/control_words.ipp>
#endif
