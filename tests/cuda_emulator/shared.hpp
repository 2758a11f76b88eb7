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
  void pass_barrier() { ++interval_; }
  void pass_warp(unsigned warp, unsigned mask);
  std::uint32_t interval() const { return interval_; }
  std::uint32_t stamp(unsigned thread) const;
  /// True if what `lane` of the thread's warp did at `stamp` came before what it does now.
  bool before(unsigned lane, std::uint32_t stamp, unsigned thread) const;

 private:
  struct Warp {
    std::uint32_t count = 1;
    std::array<std::uint32_t, 32> own{};
    std::array<std::array<std::uint32_t, 32>, 32> known{};
  };
  std::vector<Warp> warps_{};
  std::uint32_t interval_ = 1;
};

/// What is wrong with an access; empty if nothing is.
struct Conflict {
  std::string_view kind{};
  std::string what{};
};

/// Cells of one byte: the dynamic memory of the launch, then the variables of its module.
class Shared {
 public:
  static constexpr std::size_t window = 256 * 1024;

  explicit Shared(std::size_t bytes) : cells_(bytes) {}
  /// A block of `threads` begins; nothing in shared memory is written.
  void start(unsigned threads);
  /// `thread` reads or writes `bytes` from `at` on.
  Conflict access(std::size_t at, std::size_t bytes, unsigned access, unsigned thread);
  Clock& clock() { return clock_; }
  /// Where the dynamic memory of all launches lies.
  static unsigned char* dynamic();

 private:
  struct Cell {
    std::uint32_t block = 0;
    std::uint32_t write_interval = 0, write_stamp = 0, read_interval = 0, read_stamp = 0;
    std::uint32_t read_lanes = 0;
    std::uint16_t writer = 0, read_warp = 0;
    bool atomic = false, read_warps = false;
  };
  // Most bytes are as they should be: words are found for the others only.
  enum class Fault : std::uint8_t { none, not_written, written_by_other, read_by_other };

  Fault touch(Cell& cell, unsigned access, unsigned thread);
  static Conflict conflict(Fault fault, const Cell& cell);
  bool written_by_other(const Cell& cell, unsigned access, unsigned thread) const;
  bool read_by_other(const Cell& cell, unsigned thread) const;
  void note_read(Cell& cell, unsigned thread);

  std::vector<Cell> cells_;
  Clock clock_{};
  std::uint32_t block_ = 0;
};

}  // namespace emulator
