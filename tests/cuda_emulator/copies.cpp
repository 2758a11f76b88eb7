// Memory functions of the driver: allocations, copies and sets.

#include <cstring>

#include <sinter/base/text.hpp>

#include "machine.hpp"
#include "reports.hpp"

namespace emulator {

namespace {

using Handle = void*;

constexpr int invalid_value = 1, out_of_memory = 2, invalid_context = 201, invalid_handle = 400;
constexpr int illegal_address = 700;

int allocate(Address* address, std::size_t bytes) {
  const std::scoped_lock lock(machine().mutex);
  Device* const device = machine().current();
  if (device == nullptr) return invalid_context;
  if (device->error != 0) return device->error;
  if (bytes == 0) return invalid_value;
  if (const int error = unsafe_call("an allocation"); error != 0) return error;
  *address = device->arena.allocate(bytes, "allocation");
  return *address == 0 ? out_of_memory : 0;
}

int free(Address address) {
  const std::scoped_lock lock(machine().mutex);
  if (address == 0) return 0;
  Arena* const arena = machine().arena_of(address);
  if (arena != nullptr && arena->free(address)) return 0;
  add_report("freed what is not allocated: " + where(address));
  return invalid_value;
}

int memory_info(std::size_t* free, std::size_t* total) {
  const Device* const device = machine().current();
  if (device == nullptr) return invalid_context;
  *total = device->arena.total();
  *free = *total - device->arena.used();
  return 0;
}

int allocate_host(void** address, std::size_t bytes, unsigned) {
  const std::scoped_lock lock(machine().mutex);
  if (machine().current() == nullptr) return invalid_context;
  if (bytes == 0) return invalid_value;
  *address = machine().host.allocate(bytes);
  return 0;
}

int free_host(void* address) {
  const std::scoped_lock lock(machine().mutex);
  return machine().host.free(address) ? 0 : invalid_value;
}

// True for variables of a module, which are initialised.
bool is_variable(Address address, std::size_t bytes) {
  for (const auto& [handle, module] : machine().modules) {
    if (!module->owns(address)) continue;
    const Variable* const one = module->nearest(address);
    return one != nullptr && one->global && address + bytes <= one->address + one->bytes;
  }
  return false;
}

void mark_written(Address address, std::size_t bytes) {
  if (Arena* const arena = machine().arena_of(address)) arena->mark_written(address, bytes);
}

// The status if the bytes may not be accessed, which is also reported; else 0.
int check(Address address, std::size_t bytes, bool read, const char* what) {
  const Arena* const arena = machine().arena_of(address);
  if (arena == nullptr && is_variable(address, bytes)) return 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    const Byte state = arena == nullptr ? Byte::outside : arena->state(address + i);
    if (state == Byte::written || (!read && state == Byte::unwritten)) continue;
    const bool unwritten = state == Byte::unwritten;
    add_report(sinter::detail::text(unwritten              ? "read of unwritten memory"
                                    : state == Byte::freed ? "use after free"
                                                           : "out of bounds",
                                    ": a ", what, " of ", bytes, " bytes at ", where(address + i)));
    return unwritten ? 0 : illegal_address;
  }
  return 0;
}

}  // namespace

int write_device(Address to, const void* from, std::size_t bytes) {
  if (const int error = check(to, bytes, false, "copy to the device"); error != 0) return error;
  const Opened opened;
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  mark_written(to, bytes);
  return 0;
}

int read_device(void* to, Address from, std::size_t bytes) {
  if (const int error = check(from, bytes, true, "copy to the host"); error != 0) return error;
  const Opened opened;
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return 0;
}

// Unwritten bytes may be copied; the copies are unwritten too.
int move_device(Address to, Address from, std::size_t bytes) {
  Arena* const target = machine().arena_of(to);
  const Arena* const source = machine().arena_of(from);
  int error = check(to, bytes, false, "copy on the device");
  for (std::size_t i = 0; error == 0 && i < bytes; ++i) {
    const Byte state = source == nullptr ? Byte::outside : source->state(from + i);
    if (state != Byte::written && state != Byte::unwritten) {
      error = check(from + i, 1, false, "copy on the device");
    }
  }
  if (error != 0) return error;
  const Opened opened;
  std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  target->copy_marks(to, *source, from, bytes);
  return 0;
}

int set_device(Address to, unsigned value, unsigned element, std::size_t count) {
  const std::size_t bytes = element * count;
  if (const int error = check(to, bytes, false, "memset"); error != 0) return error;
  const Opened opened;
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(reinterpret_cast<char*>(to) + i * element, &value, element);
  }
  mark_written(to, bytes);
  return 0;
}

namespace {

bool pinned(const void* address, std::size_t bytes) {
  return machine().host.holds(reinterpret_cast<std::uintptr_t>(address), bytes);
}

// Enqueues `work` in the stream, and waits for it if `at_once`.
int submit(Handle handle, bool at_once, std::function<int()> work) {
  Stream* const stream = stream_of(handle);
  if (stream == nullptr) return machine().current() == nullptr ? invalid_context : invalid_handle;
  Device& device = *machine().devices[static_cast<std::size_t>(stream->device)];
  if (device.error != 0) return device.error;
  enqueue(*stream, std::move(work));
  if (at_once) finish(*stream);
  return device.error;
}

int copy_to_device(Address to, const void* from, std::size_t bytes) {
  const std::scoped_lock lock(machine().mutex);
  return submit(nullptr, true, [=] { return write_device(to, from, bytes); });
}

int copy_to_host(void* to, Address from, std::size_t bytes) {
  const std::scoped_lock lock(machine().mutex);
  return submit(nullptr, true, [=] { return read_device(to, from, bytes); });
}

// Pageable host memory is staged: it is read before the call returns.
int copy_to_device_async(Address to, const void* from, std::size_t bytes, Handle stream) {
  const std::scoped_lock lock(machine().mutex);
  if (pinned(from, bytes)) {
    return submit(stream, false, [=] {
      if (!pinned(from, bytes)) {
        add_report("use after free: a copy to the device from page-locked memory");
        return illegal_address;
      }
      return write_device(to, from, bytes);
    });
  }
  const auto* const first = static_cast<const unsigned char*>(from);
  const auto staged = std::make_shared<std::vector<unsigned char>>(first, first + bytes);
  return submit(stream, false, [=] { return write_device(to, staged->data(), bytes); });
}

int copy_to_host_async(void* to, Address from, std::size_t bytes, Handle stream) {
  const std::scoped_lock lock(machine().mutex);
  const bool later = pinned(to, bytes);
  return submit(stream, !later, [=] {
    if (later && !pinned(to, bytes)) {
      add_report("use after free: a copy to page-locked memory");
      return illegal_address;
    }
    return read_device(to, from, bytes);
  });
}

int copy_on_device_async(Address to, Address from, std::size_t bytes, Handle stream) {
  const std::scoped_lock lock(machine().mutex);
  return submit(stream, false, [=] { return move_device(to, from, bytes); });
}

int set_bytes_async(Address to, unsigned char value, std::size_t bytes, Handle stream) {
  const std::scoped_lock lock(machine().mutex);
  if (Stream* const one = stream_of(stream); one != nullptr && one->capture != nullptr) {
    return capture(*one, {.set = sinter::detail::CudaSetNode{
                              .to = to, .value = value, .element_bytes = 1, .width = bytes}});
  }
  return submit(stream, false, [=] { return set_device(to, value, 1, bytes); });
}

int set_words_async(Address to, unsigned value, std::size_t words, Handle stream) {
  const std::scoped_lock lock(machine().mutex);
  if (to % 4 != 0) return invalid_value;
  return submit(stream, false, [=] { return set_device(to, value, 4, words); });
}

}  // namespace

void fill_memory(sinter::detail::CudaDriver& table) {
  table.allocate = allocate;
  table.free = free;
  table.memory_info = memory_info;
  table.allocate_host = allocate_host;
  table.free_host = free_host;
  table.copy_to_device = copy_to_device;
  table.copy_to_host = copy_to_host;
  table.copy_to_device_async = copy_to_device_async;
  table.copy_to_host_async = copy_to_host_async;
  table.copy_on_device_async = copy_on_device_async;
  table.copy_to_peer_async = [](Address to, Handle, Address from, Handle, std::size_t bytes,
                                Handle stream) {
    return copy_on_device_async(to, from, bytes, stream);
  };
  table.set_bytes_async = set_bytes_async;
  table.set_words_async = set_words_async;
}

}  // namespace emulator
