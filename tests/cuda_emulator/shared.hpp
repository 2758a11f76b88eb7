#pragma once
// The shared memory of a block, and race detection: who accessed it since the last barrier.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace emulator {

/// Happens-before between the threads of a block: a barrier orders all of them, a warp
/// synchronisation the lanes in its mask.
class Clock {
 public:
  void start(unsigned threads);
  void pass_barrier() { interval_ = ++last_interval_; }
  void pass_warp(unsigned warp, unsigned mask);
  /// Unique over all blocks and launches.
  std::uint32_t interval() const { return interval_; }
  std::uint32_t stamp(unsigned thread) const {
    const Warp& one = warps_[thread / 32];
    const std::uint32_t own = one.own[thread % 32];
    return own > one.all ? own : one.all;
  }
  /// True if what `lane` of the thread's warp did at `stamp` happens before its next access.
  bool before(unsigned lane, std::uint32_t stamp, unsigned thread) const {
    const Warp& one = warps_[thread / 32];
    return thread % 32 == lane || one.all > stamp || one.known[thread % 32][lane] > stamp;
  }
  /// True if what any lane of the thread's warp did at `stamp` happens before its next access.
  bool all_before(std::uint32_t stamp, unsigned thread) const {
    return warps_[thread / 32].all > stamp;
  }

 private:
  struct Warp {
    std::uint32_t count = 1;
    std::uint32_t all = 0;  ///< When all lanes last synchronised: a lower bound for each pair.
    unsigned lanes = 0;
    bool parted = false;  ///< Since then a subset of lanes synchronised.
    std::array<std::uint32_t, 32> own{};
    std::array<std::array<std::uint32_t, 32>, 32> known{};
  };
  static inline std::uint32_t last_interval_ = 0;

  std::vector<Warp> warps_{};
  std::uint32_t interval_ = 0;
};

/// What is wrong with an access; empty if nothing.
struct Conflict {
  std::string_view kind{};
  std::string what{};
};

/// The last accesses to a location.
struct Touched {
  std::uint32_t block = 0;
  std::uint32_t split = 0;  ///< The block in which it was split into bytes.
  std::uint32_t write_interval = 0, write_stamp = 0, read_interval = 0, read_stamp = 0;
  std::uint32_t read_lanes = 0;
  std::uint16_t writer = 0, read_warp = 0;
  bool atomic = false, read_warps = false;
};

/// The dynamic shared memory of the launch, then the variables of its module. Accesses are tracked
/// per word, and per byte for words that are accessed in parts.
class Shared {
 public:
  static constexpr std::size_t window = 256 * 1024;
  static constexpr std::size_t word = 4;

  explicit Shared(std::size_t bytes);
  /// Starts a block of `threads`: all shared memory is unwritten.
  void start(unsigned threads);
  /// `thread` accesses `bytes` at `at`.
  Conflict access(std::size_t at, std::size_t bytes, unsigned access, unsigned thread);
  /// `thread` accesses a location in global memory, where `one` holds the accesses of this launch.
  /// Blocks are unordered.
  Conflict access_global(Touched& one, unsigned access, unsigned thread);
  /// Fast path: true if the read of a word adds nothing to what is recorded.
  bool plain_read(std::size_t at, std::size_t bytes, unsigned access, unsigned thread) const {
    return access == 0 && bytes == word && at % word == 0 && cells_[at].split != block_ &&
           read_again(cells_[at], thread);
  }
  Clock& clock() { return clock_; }
  /// The address of the dynamic memory, the same for all launches.
  static unsigned char* dynamic();

 private:
  using Cell = Touched;  // the first of a word covers the word, unless it is split
  enum class Fault : std::uint8_t { none, not_written, written_by_other, read_by_other };

  static std::vector<Cell>& cells();
  // True if another read changes nothing: most reads follow a write and a barrier.
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
