#pragma once
// The values of a recording in creation order, with a running hash: two runs of a function that do
// the same have equal hashes.

#include <cstdint>  // std::uint32_t

#include <sinter/base/container/vector.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/config.hpp>
#include <sinter/trace/value/lazy.hpp>

namespace sinter::inline SINTER_ABI::detail {

class Tape {
 public:
  Tape();
  /// Must run on the recording thread.
  ~Tape();
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  /// Appends `lazy` and assigns its position.
  void add(LazyRef lazy);
  /// The current end of the tape.
  struct Mark {
    std::size_t values = 0, live = 0, numbers = 0;
    Hasher hasher{};
  };
  Mark mark() const { return {values_.size(), live_.size(), numbers_.size(), hasher_}; }
  /// Truncates the tape. The dropped values must have no references.
  void drop_since(const Mark& mark);
  /// Adds another event that determines what follows.
  void note(std::uint64_t word) { hasher_.add(word); }

  /// By position; null for values that are no longer reachable.
  const Vector<LazyRef>& values() const { return values_; }
  /// The positions of the others, ascending.
  const Vector<std::uint32_t>& live() const { return live_; }
  /// Releases values without other references.
  void drop_unused();
  /// The values that are floating numbers of the program; their numbers are not part of the hash.
  const Vector<std::uint32_t>& numbers() const { return numbers_; }
  Hash hash() const { return hasher_.result(); }

  /// The number of uses as an operand for each value, by position.
  Vector<std::uint32_t> inner_references() const;

 private:
  void note_node(const Lazy& lazy);

  Vector<LazyRef> values_;
  Vector<std::uint32_t> live_;
  Vector<std::uint32_t> numbers_;
  Hasher hasher_;
};

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/value/tape.ipp>
#endif
