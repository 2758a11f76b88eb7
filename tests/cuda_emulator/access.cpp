// Every load and store of a kernel comes through here before it happens.

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
  return sinter::text(what, bytes, bytes == 1 ? " byte" : " bytes");
}

std::uintptr_t number(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

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
    return;
  }
  for (const int peer : machine().devices[static_cast<std::size_t>(arena_.device())]->peers) {
    Arena& other = machine().devices[static_cast<std::size_t>(peer)]->arena;
    if (other.owns(address)) return check_global(other, address, bytes, access, frame);
  }
  const Module& module = *launch_.function->module;
  const std::uintptr_t dynamic = number(Shared::dynamic());
  std::size_t at = 0;
  if (address - dynamic < Shared::window) {
    at = address - dynamic;
    if (at + bytes > launch_.shared_bytes) {
      report("out of bounds",
             sinter::text(action(access, bytes), " at byte ", at, " of dynamic shared memory (",
                          launch_.shared_bytes, " bytes)"),
             frame);
      stop(illegal_address);
    }
  } else if (module.owns(address)) {
    const Variable* const one = module.nearest(address);
    if (one == nullptr || address + bytes > one->address + one->bytes) {
      report("out of bounds", action(access, bytes) + " at " + where(address), frame);
      stop(illegal_address);
    }
    if (one->global) return;
    at = static_shared(launch_) + (address - module.data());
  } else if (module.constant(address, bytes) && (access & emulated::writes) == 0) {
    return;
  } else if (machine().host.holds(address, bytes)) {
    return;
  } else {
    report("illegal address", action(access, bytes) + " at " + where(address), frame);
    stop(illegal_address);
  }
  const Conflict conflict = shared_.access(at, bytes, access, thread_->number);
  if (!conflict.kind.empty()) {
    report(std::string(conflict.kind),
           action(access, bytes) + " at " + where(address) + ": " + conflict.what, frame);
  }
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
