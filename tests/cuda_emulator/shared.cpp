#include "shared.hpp"

#include <algorithm>

#include <sys/mman.h>

#include <sinter/base/text.hpp>

#include "kernel/link.hpp"

namespace emulator {

void Clock::start(unsigned threads) {
  const std::size_t count = (threads + 31) / 32;
  if (warps_.size() != count) warps_.resize(count);
  for (Warp& one : warps_) {
    if (one.parted) one = Warp{};
    one.count = 1;
    one.all = 0;
    one.lanes = ~0u;
  }
  if (threads % 32 != 0) warps_.back().lanes = (1u << threads % 32) - 1;
  pass_barrier();
}

void Clock::pass_warp(unsigned warp, unsigned mask) {
  Warp& one = warps_[warp];
  if ((mask & one.lanes) == one.lanes) {
    one.all = one.count++;
    return;
  }
  one.parted = true;
  std::array<std::uint32_t, 32> known{};
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    for (unsigned other = 0; other < 32; ++other) {
      known[other] = std::max(known[other], one.known[lane][other]);
    }
    known[lane] = one.count;
  }
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    one.own[lane] = one.count;
    one.known[lane] = known;
  }
  ++one.count;
}

unsigned char* Shared::dynamic() {
  static unsigned char* const instance = [] {
    void* const all = mmap(nullptr, window + 8192, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return static_cast<unsigned char*>(all) + 4096;
  }();
  return instance;
}

// Reused from earlier launches: their stamps belong to other blocks and intervals.
std::vector<Shared::Cell>& Shared::cells() {
  static auto& instance = *new std::vector<Cell>;
  return instance;
}

Shared::Shared(std::size_t bytes) {
  if (cells().size() < bytes + word) cells().resize(bytes + word);
  cells_ = cells().data();
}

void Shared::start(unsigned threads) {
  clock_.start(threads);
  block_ = ++last_block_;
}

bool Shared::written_by_other(const Cell& cell, unsigned access, unsigned thread) const {
  if (cell.write_interval != clock_.interval() || cell.writer == thread) return false;
  if (cell.atomic && (access & emulated::atomic) != 0) return false;
  return cell.writer / 32 != thread / 32 ||
         !clock_.before(cell.writer % 32, cell.write_stamp, thread);
}

bool Shared::read_by_other(const Cell& cell, unsigned thread) const {
  if (cell.read_interval != clock_.interval()) return false;
  if (cell.read_warps || cell.read_warp != thread / 32) return true;
  if (clock_.all_before(cell.read_stamp, thread)) return false;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((cell.read_lanes >> lane & 1) == 0) continue;
    if (!clock_.before(lane, cell.read_stamp, thread)) return true;
  }
  return false;
}

void Shared::note_read(Cell& cell, unsigned thread) {
  const auto warp = static_cast<std::uint16_t>(thread / 32);
  if (cell.read_interval != clock_.interval()) {
    cell.read_interval = clock_.interval();
    cell.read_lanes = 0;
    cell.read_warps = false;
    cell.read_warp = warp;
    cell.read_stamp = 0;
  }
  if (cell.read_warp != warp) cell.read_warps = true;
  cell.read_lanes |= 1u << thread % 32;
  cell.read_stamp = std::max(cell.read_stamp, clock_.stamp(thread));
}

Shared::Fault Shared::touch(Cell& cell, unsigned access, unsigned thread) {
  const bool writes = (access & emulated::writes) != 0, atomic = (access & emulated::atomic) != 0;
  if ((!writes || atomic) && cell.block != block_) {
    cell.block = block_;
    return Fault::not_written;
  }
  return order(cell, access, thread);
}

// Checks that conflicting accesses of other threads happen before this one, and records it.
Shared::Fault Shared::order(Cell& cell, unsigned access, unsigned thread) {
  const bool writes = (access & emulated::writes) != 0, atomic = (access & emulated::atomic) != 0;
  if (written_by_other(cell, access, thread)) return Fault::written_by_other;
  if (!writes) {
    note_read(cell, thread);
    return Fault::none;
  }
  const bool race = read_by_other(cell, thread);
  cell.block = block_;
  cell.writer = static_cast<std::uint16_t>(thread);
  cell.write_interval = clock_.interval();
  cell.write_stamp = clock_.stamp(thread);
  cell.atomic = atomic;
  return race ? Fault::read_by_other : Fault::none;
}

Conflict Shared::conflict(Fault fault, const Cell& cell) {
  switch (fault) {
    case Fault::none:
      return {};
    case Fault::not_written:
      return {"uninitialised shared memory", "it was not written in this block"};
    case Fault::written_by_other:
      return {"race", sinter::detail::text("thread ", cell.writer,
                                           " wrote it, and nothing orders the two")};
    case Fault::read_by_other:
      return {"race", "another thread read it, and nothing orders the two"};
  }
  return {};
}

Conflict Shared::access_global(Touched& one, unsigned access, unsigned thread) {
  const bool writes = (access & emulated::writes) != 0, atomic = (access & emulated::atomic) != 0;
  const bool elsewhere = one.block != 0 && one.block != block_;
  const bool written = one.write_interval != 0 && !(one.atomic && atomic);
  if (elsewhere && (written || (writes && one.read_interval != 0))) {
    return {"race", sinter::detail::text("another block ", written ? "wrote" : "read",
                                         " it, and nothing orders the two")};
  }
  one.block = block_;
  return conflict(order(one, access, thread), one);
}

// From here on the bytes of the word are tracked separately.
void Shared::split(std::size_t at) {
  Cell& first = cells_[at / word * word];
  if (first.split == block_) return;
  first.split = block_;
  std::fill(&first + 1, &first + word, first);
}

Conflict Shared::access(std::size_t at, std::size_t bytes, unsigned access, unsigned thread) {
  Fault first = Fault::none;
  std::size_t place = at;
  for (std::size_t i = at; i < at + bytes;) {
    const bool whole = i % word == 0 && at + bytes - i >= word && cells_[i].split != block_;
    if (!whole) split(i);
    if (access != emulated::reads || !read_again(cells_[i], thread)) {
      const Fault one = touch(cells_[i], access, thread);
      if (first == Fault::none && one != Fault::none) first = one, place = i;
    }
    i += whole ? word : 1;
  }
  return first == Fault::none ? Conflict{} : conflict(first, cells_[place]);
}

}  // namespace emulator
