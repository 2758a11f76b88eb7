// The functions that compiled kernels call.

#include <sinter/base/text.hpp>

#include "launch.hpp"
#include "machine.hpp"

namespace emulator {

namespace {

constexpr unsigned static_window = 0x1000000;  // Where variables of the module begin.

void access(const void* address, unsigned long bytes, unsigned access, const void* frame) {
  running()->access(reinterpret_cast<std::uintptr_t>(address), bytes, access, frame);
}

int barrier(emulated::Join join, int predicate, const void* frame) {
  return running()->barrier(join, predicate, frame);
}

unsigned active_mask() { return running()->active_mask(); }

void* dynamic_shared() { return Shared::dynamic(); }

void* heap_allocate(unsigned long bytes) {
  return reinterpret_cast<void*>(running()->arena().allocate(bytes, "heap memory"));
}

void heap_free(void* address) {
  if (address != nullptr) running()->arena().free(reinterpret_cast<Address>(address));
}

void trap(const char* text, const void* frame) {
  running()->report("trap", text, frame);
  running()->stop(719);
}

}  // namespace

emulated::Link& link_table() {
  static emulated::Link instance{.thread = {},
                                 .block = {},
                                 .block_size = {},
                                 .grid_size = {},
                                 .access = access,
                                 .barrier = barrier,
                                 .vote = vote_of_lanes,
                                 .shuffle = shuffle_of_lanes,
                                 .active_mask = active_mask,
                                 .ptx = run_ptx,
                                 .dynamic_shared = dynamic_shared,
                                 .shared_offset = shared_offset,
                                 .heap_allocate = heap_allocate,
                                 .heap_free = heap_free,
                                 .trap = trap,
                                 .set_condition = set_condition};
  return instance;
}

unsigned shared_offset(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const auto dynamic = reinterpret_cast<std::uintptr_t>(Shared::dynamic());
  if (at - dynamic <= Shared::window) return static_cast<unsigned>(at - dynamic);
  return static_cast<unsigned>(at - running()->launch().function->module->data()) + static_window;
}

void* shared_pointer(unsigned offset) {
  if (offset < static_window) return Shared::dynamic() + offset;
  return reinterpret_cast<void*>(running()->launch().function->module->data() + offset -
                                 static_window);
}

std::string where(std::uintptr_t address) {
  for (const auto& device : machine().devices) {
    if (device->arena.owns(address)) return describe(device->arena, address);
  }
  const auto dynamic = reinterpret_cast<std::uintptr_t>(Shared::dynamic());
  if (address - dynamic < Shared::window) {
    return sinter::detail::text("byte ", address - dynamic, " of dynamic shared memory");
  }
  if (running() != nullptr && running()->launch().function->module->owns(address)) {
    const Variable* const one = running()->launch().function->module->nearest(address);
    if (one != nullptr) {
      return sinter::detail::text("byte ", address - one->address, " of the variable ", one->name,
                                  " (", one->bytes, " bytes)");
    }
  }
  if (const std::string host = machine().host.describe(address); !host.empty()) return host;
  return address < 4096
             ? sinter::detail::text("address ", address, ", a null pointer")
             : sinter::detail::text("address ", address, ", which is no memory of the device");
}

}  // namespace emulator
