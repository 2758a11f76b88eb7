#pragma once
// The values of a recording in the order in which they were made, and a hash of what was done: two
// runs of one function that do the same have equal hashes.

#include <cstdint>  // std::uint32_t
#include <vector>   // std::vector

#include <sinter/base/hash.hpp>
#include <sinter/config.hpp>
#include <sinter/trace/value/lazy.hpp>

namespace sinter::inline SINTER_ABI::detail {

class Tape {
 public:
  Tape();
  /// On the thread that recorded.
  ~Tape();
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  /// `lazy` is the next value; it gets its position.
  void add(LazyRef lazy);
  /// Where the tape ends now.
  struct Mark {
    std::size_t values = 0, live = 0, numbers = 0;
    Hasher hasher{};
  };
  Mark mark() const { return {values_.size(), live_.size(), numbers_.size(), hasher_}; }
  /// As if nothing had been recorded since then. Nobody holds what was.
  void drop_since(const Mark& mark);
  /// Something else happened that decides what comes after it.
  void note(std::uint64_t word) { hasher_.add(word); }

  /// By position; null for those that nobody can refer to any more.
  const std::vector<LazyRef>& values() const { return values_; }
  /// The positions of the others, ascending.
  const std::vector<std::uint32_t>& live() const { return live_; }
  /// Lets go of values that nothing else refers to.
  void drop_unused();
  /// The values that are floating numbers of the program. What they are is not in the hash.
  const std::vector<std::uint32_t>& numbers() const { return numbers_; }
  Hash hash() const { return hasher_.result(); }

  /// How often each value is an operand of another, by position.
  std::vector<std::uint32_t> inner_references() const;

 private:
  void note_node(const Lazy& lazy);

  std::vector<LazyRef> values_;
  std::vector<std::uint32_t> live_;
  std::vector<std::uint32_t> numbers_;
  Hasher hasher_;
};

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/value/tape.ipp>
#endif
