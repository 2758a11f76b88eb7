#pragma once
// The shared memory of a block, and who touched it since threads last waited for each other.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace emulator {

/// An order in time between the threads of a block: barriers order all of them, a
/// synchronisation of a warp those lanes that take part.
class Clock {
 public:
  void start(unsigned threads);
  void pass_barrier() { interval_ = ++last_interval_; }
  void pass_warp(unsigned warp, unsigned mask);
  /// No other block, of this or of another launch, has an interval of this number.
  std::uint32_t interval() const { return interval_; }
  std::uint32_t stamp(unsigned thread) const {
    const Warp& one = warps_[thread / 32];
    const std::uint32_t own = one.own[thread % 32];
    return own > one.all ? own : one.all;
  }
  /// True if what `lane` of the thread's warp did at `stamp` came before what it does now.
  bool before(unsigned lane, std::uint32_t stamp, unsigned thread) const {
    const Warp& one = warps_[thread / 32];
    return thread % 32 == lane || one.all > stamp || one.known[thread % 32][lane] > stamp;
  }
  /// True if what any lane of the thread's warp did at `stamp` came before what it does now.
  bool all_before(std::uint32_t stamp, unsigned thread) const {
    return warps_[thread / 32].all > stamp;
  }

 private:
  struct Warp {
    std::uint32_t count = 1;
    std::uint32_t all = 0;  ///< When all of its lanes were last synchronised; a floor of the rest.
    unsigned lanes = 0;
    bool parted = false;  ///< Some were, without the others.
    std::array<std::uint32_t, 32> own{};
    std::array<std::array<std::uint32_t, 32>, 32> known{};
  };
  static inline std::uint32_t last_interval_ = 0;

  std::vector<Warp> warps_{};
  std::uint32_t interval_ = 0;
};

/// What is wrong with an access; empty if nothing is.
struct Conflict {
  std::string_view kind{};
  std::string what{};
};

/// Who touched a place.
struct Touched {
  std::uint32_t block = 0;
  std::uint32_t split = 0;  ///< The block that it was split in.
  std::uint32_t write_interval = 0, write_stamp = 0, read_interval = 0, read_stamp = 0;
  std::uint32_t read_lanes = 0;
  std::uint16_t writer = 0, read_warp = 0;
  bool atomic = false, read_warps = false;
};

/// The dynamic memory of the launch, then the variables of its module. What is known of it is kept
/// for words, and for the bytes of those that are used in parts.
class Shared {
 public:
  static constexpr std::size_t window = 256 * 1024;
  static constexpr std::size_t word = 4;

  explicit Shared(std::size_t bytes);
  /// A block of `threads` begins; nothing in shared memory is written.
  void start(unsigned threads);
  /// `thread` reads or writes `bytes` from `at` on.
  Conflict access(std::size_t at, std::size_t bytes, unsigned access, unsigned thread);
  /// `thread` reads or writes a place in the memory of the GPU, which all blocks of a launch share:
  /// `one` is what this launch has done there. No order of blocks is known.
  Conflict access_global(Touched& one, unsigned access, unsigned thread);
  /// True if it reads a word, again, or after threads of other warps: there is nothing to note.
  bool plain_read(std::size_t at, std::size_t bytes, unsigned access, unsigned thread) const {
    return access == 0 && bytes == word && at % word == 0 && cells_[at].split != block_ &&
           read_again(cells_[at], thread);
  }
  Clock& clock() { return clock_; }
  /// Where the dynamic memory of all launches lies.
  static unsigned char* dynamic();

 private:
  using Cell = Touched;  // the first of a word stands for all of it, but where it is split
  enum class Fault : std::uint8_t { none, not_written, written_by_other, read_by_other };

  static std::vector<Cell>& cells();
  // True if reading again is nothing new: most reads are of what was written before a barrier.
  bool read_again(const Cell& cell, unsigned thread) const {
    const std::uint32_t now = clock_.interval();
    return cell.block == block_ && cell.write_interval != now && cell.read_interval == now &&
           (cell.read_warps ||
            (cell.read_warp == thread / 32 && (cell.read_lanes >> thread % 32 & 1) != 0 &&
             cell.read_stamp >= clock_.stamp(thread)));
  }
  void split(std::size_t at);
  Fault touch(Cell& cell, unsigned access, unsigned thread);
  Fault order(Cell& cell, unsigned access, unsigned thread);
  static Conflict conflict(Fault fault, const Cell& cell);
  bool written_by_other(const Cell& cell, unsigned access, unsigned thread) const;
  bool read_by_other(const Cell& cell, unsigned thread) const;
  void note_read(Cell& cell, unsigned thread);

  static inline std::uint32_t last_block_ = 0;

  Cell* cells_ = nullptr;
  Clock clock_{};
  std::uint32_t block_ = 0;
};

}  // namespace emulator
