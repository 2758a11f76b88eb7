#include "memory.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include <sys/mman.h>

#include <sinter/base/text.hpp>

namespace emulator {

namespace {

constexpr std::size_t alignment = 256, page = 4096;

void* reserve(std::size_t bytes, int protection) {
  void* const result =
      mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (result == MAP_FAILED) throw std::runtime_error("the emulator cannot reserve addresses");
  return result;
}

std::size_t rounded(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

}  // namespace

Arena::Arena(int device, std::size_t total) : total_(total), device_(device) {
  base_ = reinterpret_cast<Address>(reserve(span, PROT_NONE));
  shadow_ = static_cast<Byte*>(reserve(span, PROT_READ | PROT_WRITE));
  top_ = base_ + page;
}

Arena::~Arena() {
  munmap(reinterpret_cast<void*>(base_), span);
  munmap(shadow_, span);
}

Address Arena::allocate(std::size_t bytes, const std::string& kind) {
  const std::size_t size = rounded(bytes, alignment);
  if (used_ + size > total_) return 0;
  // Each allocation has its own pages, and does not start at a page boundary. The gap after it is
  // as long as the allocation, so that an access one row past the end is noticed too.
  const std::size_t shift = static_cast<std::size_t>(count_) % 8 * alignment;
  const std::size_t own = rounded(shift + size, page);
  const std::size_t gap = std::clamp(own, page, std::size_t{1} << 24);
  if (top_ + own + gap > base_ + span) return 0;
  const Address address = top_ + shift;
  top_ += own + gap;
  used_ += size;
  allocations_[address] = {address, bytes, ++count_, false, kind};
  std::memset(shadow(address), static_cast<int>(Byte::unwritten), bytes);
  if (opened_ > 0) protect(PROT_READ | PROT_WRITE);
  return address;
}

bool Arena::free(Address address) {
  const auto found = allocations_.find(address);
  if (found == allocations_.end() || found->second.freed) return false;
  Allocation& one = found->second;
  one.freed = true;
  used_ -= rounded(one.bytes, alignment);
  std::memset(shadow(address), static_cast<int>(Byte::freed), one.bytes);
  const Address first = address / page * page;
  madvise(reinterpret_cast<void*>(first), rounded(address + one.bytes, page) - first,
          MADV_DONTNEED);
  return true;
}

bool Arena::holds(Address address, std::size_t bytes, bool read) const {
  const Byte* const from = shadow(address);
  for (std::size_t i = 0; i < bytes; ++i) {
    if (from[i] != Byte::written && (read || from[i] != Byte::unwritten)) return false;
  }
  return true;
}

void Arena::mark_written(Address address, std::size_t bytes) {
  std::memset(shadow(address), static_cast<int>(Byte::written), bytes);
}

void Arena::copy_marks(Address to, const Arena& other, Address from, std::size_t bytes) {
  std::memmove(shadow(to), other.shadow(from), bytes);
}

Byte Arena::state(Address address) const { return *shadow(address); }

const Allocation* Arena::nearest(Address address) const {
  auto after = allocations_.upper_bound(address);
  return after == allocations_.begin() ? nullptr : &std::prev(after)->second;
}

void Arena::protect(int protection) {
  mprotect(reinterpret_cast<void*>(base_), rounded(top_ - base_, page), protection);
}

void Arena::open() {
  if (opened_++ == 0) protect(PROT_READ | PROT_WRITE);
}

void Arena::close() {
  if (--opened_ == 0) protect(PROT_NONE);
}

std::string describe(const Arena& arena, Address address) {
  const Allocation* const one = arena.nearest(address);
  if (one == nullptr) {
    return sinter::detail::text("an address of cuda:", arena.device(), " before all allocations");
  }
  const std::size_t at = address - one->address;
  std::string result = sinter::detail::text("byte ", at, " of ", one->kind, " ", one->number, " (",
                                            one->bytes, " bytes on cuda:", arena.device(), ")");
  if (at >= one->bytes)
    result += sinter::detail::text(", ", at - one->bytes, " bytes past its end");
  if (one->freed) result += ", which was freed";
  return result;
}

}  // namespace emulator
