#pragma once
// Control words: the memory from which bodies of conditional graph nodes load their arguments.

#include <cstdint>  // std::int64_t
#include <vector>   // std::vector

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/loop_table.hpp>
#include <sinter/config.hpp>
#include <sinter/runtime/cuda/faults.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

/// Rounds up to the alignment of arena buffers, 256 bytes.
inline Extent rounded_up(const Extent& bytes) { return ceil_div(bytes, 256) * 256; }

}  // namespace detail

struct BodyLayout;

/// The words of a branch or loop.
struct ControlLayout {
  const schedule::Control* control = nullptr;
  long table = -1;      ///< The LoopTable of a loop.
  long condition = -1;  ///< Holds the address of the condition of a branch or while_loop.
  // Loops check all faults of the plan: a loop that reads data of a faulty launch may never end.
  long faults = 0;                 ///< Holds the address of the plan's fault array.
  long fault_count = 0;            ///< The length of that array.
  Vector<BodyLayout> bodies;       // incomplete here: clang takes no initializer
};

/// The words of a plan, or of a body.
struct BodyLayout {
  const schedule::Plan* plan = nullptr;
  std::vector<long> words{};                   ///< For each buffer the word that holds its address.
  Vector<std::vector<long>> arguments{};       ///< Of each kernel launch in a body, in order.
  Vector<ControlLayout> controls{};            ///< Of each branch or loop, in order.
};

/// All control words of a plan, in GPU memory. The host uploads all of them in one copy; kernels of
/// ControlKernel write those that change from step to step.
class ControlWords {
 public:
  /// Lays out the words for the branches and loops of `plan`, which must outlive it. `faults` are
  /// the fault words of the plan, bodies included.
  ControlWords(const schedule::Plan& plan, const CudaFaults& faults);

  const BodyLayout& layout() const { return layout_; }
  std::size_t count() const { return values_.size(); }
  /// The values of the words; the span is valid until a setter is called.
  Span<const std::uint64_t> values() const { return values_; }
  /// The bytes that bodies need for intermediate values.
  std::int64_t arena_bytes(Span<const std::int64_t> symbols) const;

  /// Sets the addresses of the words, of the arena of bodies, and of the fault words.
  void set_addresses(std::uint64_t words, std::uint64_t arena, std::uint64_t faults);
  /// Sets the address of a buffer of the plan.
  void set_buffer(std::size_t buffer, std::uint64_t address);
  void set_sizes(Span<const std::int64_t> symbols);
  /// Whether a word has changed since the last call of this function.
  bool take_changed();

 private:
  // The value of a word: `value`, plus the base address that `from` selects.
  struct Content {
    enum class From : std::uint8_t { zero, words, arena, faults };
    long word = 0;
    Extent value = 0;
    From from = From::zero;
    std::uint64_t evaluated = 0;  // `value` for the sizes of the last call
  };

  long add_words(std::size_t count);
  long add_fault();
  long add(const Extent& value, Content::From from = Content::From::zero);
  void put(long word, const Extent& value);
  void set(long word, std::uint64_t value);
  BodyLayout body(const schedule::Plan& plan, Span<const long> inputs, Span<const long> outputs,
                  Extent& arena);
  ControlLayout control(const BodyLayout& around, const schedule::Launch& launch, Extent& arena);
  void lay_out_branch(ControlLayout& layout, Span<const long> words, Extent& arena);
  void lay_out_while(ControlLayout& layout, Span<const long> words, Extent& arena);
  void lay_out_scan(ControlLayout& layout, Span<const long> words, Extent& arena);
  struct State {
    long current = 0, next = 0;  // words that hold the addresses that a step reads and writes
  };
  State add_state(const ControlLayout& layout, Span<const long> words, std::size_t number);
  long add_sequence(const ControlLayout& layout, std::size_t number, long first,
                    const Extent& bytes);

  BodyLayout layout_;
  Extent arena_bytes_ = 0;
  Vector<Content> contents_{};
  Vector<std::uint64_t> values_{};
  std::size_t fault_bytes_ = 0;  // offset of the fault word of the next launch that has checks
  long faults_ = 0, fault_count_ = 0;  // see ControlLayout
  bool changed_ = false;
};

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/cuda/graph/control_words.ipp>
#endif
