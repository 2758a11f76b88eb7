#pragma once
// The memory of an emulated GPU, with a shadow state per byte: allocated, written, freed.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>

namespace emulator {

using Address = std::uint64_t;

struct Allocation {
  Address address = 0;
  std::size_t bytes = 0;
  int number = 0;
  bool freed = false;
  std::string kind{};
};

/// The shadow state of a byte.
enum class Byte : unsigned char { outside, unwritten, written, freed };
static_assert(static_cast<int>(Byte::written) == 2);  // Arena::written relies on it

/// Addresses are never reused, and allocations are separated by gaps. The host can read them only
/// while the arena is open.
class Arena {
 public:
  static constexpr std::size_t span = std::size_t{1} << 36;

  Arena(int device, std::size_t total);
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  /// 0 if there is not enough memory.
  Address allocate(std::size_t bytes, const std::string& kind);
  bool free(Address address);
  bool owns(Address address) const { return address - base_ < span; }
  /// True if `bytes` at `address` are allocated, and also written if they are read.
  bool holds(Address address, std::size_t bytes, bool read) const;
  /// True if they are allocated and written: any access is valid.
  bool written(Address address, std::size_t bytes) const {
    const Byte* const from = shadow(address);
    switch (bytes) {
      case 1:
        return *from == Byte::written;
      case 2:
        return all_written<std::uint16_t>(from);
      case 4:
        return all_written<std::uint32_t>(from);
      case 8:
        return all_written<std::uint64_t>(from);
      case 16:
        return all_written<std::uint64_t>(from) && all_written<std::uint64_t>(from + 8);
      default:
        return holds(address, bytes, true);
    }
  }
  void mark_written(Address address, std::size_t bytes);
  /// Copies the shadow state of `from` to `to`.
  void copy_marks(Address to, const Arena& other, Address from, std::size_t bytes);
  Byte state(Address address) const;
  /// The allocation at `address`, or the nearest before it; null if there is none.
  const Allocation* nearest(Address address) const;

  std::size_t used() const { return used_; }
  std::size_t total() const { return total_; }
  int device() const { return device_; }
  void open();
  void close();

 private:
  template <class Word>
  static bool all_written(const Byte* from) {
    Word word = 0;
    std::memcpy(&word, from, sizeof(word));
    return word == static_cast<Word>(0x0202020202020202);
  }
  void protect(int protection);
  Byte* shadow(Address address) const { return shadow_ + (address - base_); }

  Address base_ = 0;
  Byte* shadow_ = nullptr;
  Address top_ = 0;
  std::size_t used_ = 0, total_ = 0;
  int device_ = 0, opened_ = 0, count_ = 0;
  std::map<Address, Allocation> allocations_{};
};

/// "byte 404 of allocation 2 (400 bytes on cuda:0), 4 bytes past its end".
std::string describe(const Arena& arena, Address address);

}  // namespace emulator
