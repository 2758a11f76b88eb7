// Checks every load and store of a kernel before it is executed.

#include <algorithm>
#include <cstring>

#include <sinter/base/text.hpp>

#include "launch.hpp"
#include "machine.hpp"

namespace emulator {

namespace {

constexpr int illegal_address = 700, misaligned_address = 716;

std::string action(unsigned access, std::size_t bytes) {
  const char* const what = (access & emulated::atomic) != 0   ? "atomic operation on "
                           : (access & emulated::writes) != 0 ? "write of "
                                                              : "read of ";
  return sinter::detail::text(what, bytes, bytes == 1 ? " byte" : " bytes");
}

// The fast path: most accesses are to memory that is already written, or to the stack.
[[gnu::always_inline]] inline void access_of(const void* address, std::size_t bytes,
                                             unsigned access, const void* frame) {
  Running& all = *running();
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if (all.is_plain(at, bytes)) return;
  all.access(at, bytes, access, frame);
  // Prevents a tail call, which would replace this frame.
  asm volatile("" ::: "memory");
}

bool aligned(std::uintptr_t address, std::size_t bytes) {
  return (bytes & (bytes - 1)) != 0 || bytes > 16 || (address & (bytes - 1)) == 0;
}

}  // namespace

void Running::access(std::uintptr_t address, std::size_t bytes, unsigned access,
                     const void* frame) {
  if (thread_->fiber->contains(reinterpret_cast<const void*>(address))) return;
  if (!aligned(address, bytes)) {
    report("misaligned access", action(access, bytes) + " at " + where(address), frame);
    stop(misaligned_address);
  }
  if (arena_.owns(address)) {
    if (!arena_.written(address, bytes)) check_global(arena_, address, bytes, access, frame);
    if (twice_.holds(address)) check_order(address, bytes, access, frame);
    return;
  }
  std::size_t at = address - dynamic_;
  if (at < Shared::window) {
    if (at + bytes > launch_.shared_bytes) {
      report("out of bounds",
             sinter::detail::text(action(access, bytes), " at byte ", at,
                                  " of dynamic shared memory (", launch_.shared_bytes, " bytes)"),
             frame);
      stop(illegal_address);
    }
  } else if (module_.owns(address)) {
    const Variable* const one = module_.nearest(address);
    if (one == nullptr || address + bytes > one->address + one->bytes) {
      report("out of bounds", action(access, bytes) + " at " + where(address), frame);
      stop(illegal_address);
    }
    if (one->global) return;
    at = static_shared(launch_) + (address - module_.data());
  } else {
    return access_elsewhere(address, bytes, access, frame);
  }
  if (!shared_.plain_read(at, bytes, access, thread_->number)) {
    access_shared(address, at, bytes, access, frame);
  }
}

[[gnu::noinline]] void Running::access_shared(std::uintptr_t address, std::size_t at,
                                              std::size_t bytes, unsigned access,
                                              const void* frame) {
  const Conflict conflict = shared_.access(at, bytes, access, thread_->number);
  if (conflict.kind.empty()) return;
  report(std::string(conflict.kind),
         action(access, bytes) + " at " + where(address) + ": " + conflict.what, frame);
}

// Elements smaller than a word are tracked separately.
[[gnu::noinline]] void Running::check_order(std::uintptr_t address, std::size_t bytes,
                                            unsigned access, const void* frame) {
  const auto in = [&](const Span& one) { return one.holds(address); };
  if (std::none_of(spans_.begin(), spans_.end(), in)) return;
  const std::size_t word = std::min<std::size_t>(bytes, Shared::word);
  for (std::uintptr_t at = address; at < address + bytes; at += word) {
    const std::uintptr_t place = word < Shared::word ? ~at : at;
    const Conflict conflict = shared_.access_global(touched_[place], access, thread_->number);
    if (conflict.kind.empty()) continue;
    return report(std::string(conflict.kind),
                  action(access, bytes) + " at " + where(address) + ": " + conflict.what, frame);
  }
}

// Addresses that are neither in the memory of this GPU nor shared.
void Running::access_elsewhere(std::uintptr_t address, std::size_t bytes, unsigned access,
                               const void* frame) {
  for (const int peer : machine().devices[static_cast<std::size_t>(arena_.device())]->peers) {
    Arena& other = machine().devices[static_cast<std::size_t>(peer)]->arena;
    if (other.owns(address)) return check_global(other, address, bytes, access, frame);
  }
  if (module_.constant(address, bytes) && (access & emulated::writes) == 0) return;
  if (machine().host.holds(address, bytes)) return;
  report("illegal address", action(access, bytes) + " at " + where(address), frame);
  stop(illegal_address);
}

void Running::check_global(Arena& arena, std::uintptr_t address, std::size_t bytes, unsigned access,
                           const void* frame) {
  const bool read = (access & emulated::writes) == 0 || (access & emulated::atomic) != 0;
  if (arena.holds(address, bytes, read)) {
    if (!read) arena.mark_written(address, bytes);
    return;
  }
  for (std::size_t i = 0; i < bytes; ++i) {
    const Byte state = arena.state(address + i);
    if (state == Byte::freed) {
      report("use after free", action(access, bytes) + " at " + where(address + i), frame);
      stop(illegal_address);
    }
    if (state == Byte::outside) {
      report("out of bounds", action(access, bytes) + " at " + where(address + i), frame);
      stop(illegal_address);
    }
  }
  report("read of unwritten memory", action(access, bytes) + " at " + where(address), frame);
  arena.mark_written(address, bytes);
}

}  // namespace emulator

// The functions that the compiler calls at each memory access of a kernel (-fsanitize=thread). If
// this program itself runs under the thread sanitizer, it runs no kernels.
#if !defined(__SANITIZE_THREAD__)

#define EMULATOR_HOOK extern "C" __attribute__((visibility("default"), noinline)) void
#define EMULATOR_ACCESS(bytes)                                                   \
  EMULATOR_HOOK __tsan_read##bytes(void* p);                                     \
  EMULATOR_HOOK __tsan_write##bytes(void* p);                                    \
  EMULATOR_HOOK __tsan_read##bytes(void* p) {                                    \
    emulator::access_of(p, bytes, emulated::reads, __builtin_frame_address(0));  \
  }                                                                              \
  EMULATOR_HOOK __tsan_write##bytes(void* p) {                                   \
    emulator::access_of(p, bytes, emulated::writes, __builtin_frame_address(0)); \
  }
EMULATOR_ACCESS(1)
EMULATOR_ACCESS(2)
EMULATOR_ACCESS(4)
EMULATOR_ACCESS(8)
EMULATOR_ACCESS(16)

// clang calls these to copy or set structures, instead of memcpy and memset.
#define EMULATOR_BYTES extern "C" __attribute__((visibility("default"), noinline)) void*
EMULATOR_BYTES __tsan_memcpy(void* to, const void* from, std::size_t bytes);
EMULATOR_BYTES __tsan_memset(void* to, int value, std::size_t bytes);
EMULATOR_BYTES __tsan_memcpy(void* to, const void* from, std::size_t bytes) {
  emulator::access_of(from, bytes, emulated::reads, __builtin_frame_address(0));
  emulator::access_of(to, bytes, emulated::writes, __builtin_frame_address(0));
  return std::memcpy(to, from, bytes);
}
EMULATOR_BYTES __tsan_memset(void* to, int value, std::size_t bytes) {
  emulator::access_of(to, bytes, emulated::writes, __builtin_frame_address(0));
  return std::memset(to, value, bytes);
}

#endif
