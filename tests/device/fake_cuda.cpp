#include "fake_cuda.hpp"

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>

namespace fake_cuda {

namespace {

Machine* machine = nullptr;
std::recursive_mutex mutex;
thread_local Handle current = nullptr;

// Contexts are the numbers of their GPUs, from 1 on.
int device_of(Handle context) {
  return static_cast<int>(reinterpret_cast<std::intptr_t>(context)) - 1;
}

constexpr int no_context = 201;

// Counts a call; its result if it has to fail, or needs a context that is not there.
int begin(const char* function, bool needs_context = true) {
  ++machine->counts[function];
  if (machine->calls_until_failure > 0 && --machine->calls_until_failure == 0) return 999;
  const auto failure = machine->failures.find(function);
  if (failure != machine->failures.end() && failure->second != 0) return failure->second;
  return needs_context && current == nullptr ? no_context : 0;
}

template <class Body>
int call(const char* function, Body body) {
  const std::lock_guard lock(mutex);
  if (const int result = begin(function)) return result;
  return body();
}

Stream& stream_at(Handle handle) { return *static_cast<Stream*>(handle); }
Event& event_at(Handle handle) { return *static_cast<Event*>(handle); }

int give(Handle stream, std::function<void()> work) {
  stream_at(stream).work.push_back(std::move(work));
  return 0;
}

int copy_later(Handle stream, void* to, const void* from, std::size_t bytes) {
  return give(stream, [=] { std::memcpy(to, from, bytes); });
}

void* host(Address address) { return reinterpret_cast<void*>(address); }

bool is_pinned(const void* memory) {
  for (const auto& [start, bytes] : machine->pinned) {
    const auto* const first = static_cast<const std::byte*>(start);
    if (memory >= first && memory < first + bytes) return true;
  }
  return false;
}

std::size_t used_bytes(int device) {
  std::size_t result = 0;
  for (const auto& [address, allocation] : machine->memory) {
    if (allocation.device == device) result += allocation.bytes;
  }
  return result;
}

int allocate(Address* address, std::size_t bytes) {
  return call("allocate", [=] {
    const int device = device_of(current);
    if (used_bytes(device) + machine->others + bytes > machine->bytes)
      return CudaDriver::out_of_memory;
    void* const memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    std::memset(memory, 0xee, bytes);
    *address = reinterpret_cast<Address>(memory);
    machine->memory[*address] = {device, bytes};
    return 0;
  });
}

int free_memory(Address address) {
  return call("free", [=] {
    for (const auto& stream : machine->streams) {
      machine->freed_too_early |= stream->done != stream->work.size();
    }
    machine->memory.erase(address);
    std::free(host(address));
    return 0;
  });
}

void add_machine(CudaDriver& table) {
  table.device_count = [](int* count) { return *count = machine->devices, 0; };
  table.device = [](int* device, int index) { return *device = index, 0; };
  table.device_attribute = [](int* value, int attribute, int) {
    return *value = attribute == CudaDriver::capability_major ? 9 : 0, 0;
  };
  table.error_name = [](int, const char** words) { return *words = "CUDA_ERROR_FAKE", 0; };
  table.error_string = [](int, const char** words) { return *words = "out of order", 0; };
  table.can_access_peer = [](int* can, int, int) { return *can = 1, 0; };
  table.retain_context = [](Handle* context, int device) {
    const std::lock_guard lock(mutex);
    const int result = begin("retain_context", false);
    if (result == 0) *context = reinterpret_cast<Handle>(static_cast<std::intptr_t>(device + 1));
    return result;
  };
  table.release_context = [](int) { return begin("release_context", false); };
  table.context = [](Handle* context) { return *context = current, 0; };
  table.set_context = [](Handle context) {
    const std::lock_guard lock(mutex);
    const int result = begin("set_context", false);
    if (result == 0) current = context;
    return result;
  };
}

void add_memory(CudaDriver& table) {
  table.allocate = allocate;
  table.free = free_memory;
  table.memory_info = [](std::size_t* free, std::size_t* total) {
    return call("memory_info", [=] {
      *total = machine->bytes;
      *free = machine->bytes - machine->others - used_bytes(device_of(current));
      return 0;
    });
  };
  table.allocate_host = [](void** address, std::size_t bytes, unsigned) {
    return call("allocate_host", [=] {
      *address = std::malloc(bytes);
      machine->pinned[*address] = bytes;
      return 0;
    });
  };
  table.free_host = [](void* address) {
    return call("free_host", [=] {
      machine->pinned.erase(address);
      std::free(address);
      return 0;
    });
  };
}

void add_copies(CudaDriver& table) {
  table.copy_to_device_async = [](Address to, const void* from, std::size_t bytes, Handle stream) {
    return call("copy_to_device_async", [=] {
      if (is_pinned(from)) return copy_later(stream, host(to), from, bytes);
      const auto* const first = static_cast<const std::byte*>(from);
      return give(stream, [to, staged = std::vector<std::byte>(first, first + bytes)] {
        std::memcpy(host(to), staged.data(), staged.size());
      });
    });
  };
  table.copy_to_host_async = [](void* to, Address from, std::size_t bytes, Handle stream) {
    return call("copy_to_host_async", [=] {
      copy_later(stream, to, host(from), bytes);
      if (!is_pinned(to)) stream_at(stream).run(stream_at(stream).work.size());
      return 0;
    });
  };
  table.copy_on_device_async = [](Address to, Address from, std::size_t bytes, Handle stream) {
    return call("copy_on_device_async",
                [=] { return copy_later(stream, host(to), host(from), bytes); });
  };
  table.copy_to_peer_async = [](Address to, Handle, Address from, Handle, std::size_t bytes,
                                Handle stream) {
    return call("copy_to_peer_async",
                [=] { return copy_later(stream, host(to), host(from), bytes); });
  };
}

void add_streams(CudaDriver& table) {
  table.create_stream = [](Handle* stream, unsigned) {
    return call("create_stream", [=] {
      machine->streams.push_back(std::make_unique<Stream>());
      ++machine->live_streams;
      *stream = machine->streams.back().get();
      return 0;
    });
  };
  table.destroy_stream = [](Handle) {
    return call("destroy_stream", [] { return --machine->live_streams, 0; });
  };
  table.synchronize_stream = [](Handle stream) {
    return call("synchronize_stream", [=] {
      stream_at(stream).run(stream_at(stream).work.size());
      return 0;
    });
  };
  table.wait_event = [](Handle stream, Handle event, unsigned) {
    return call("wait_event", [=] {
      const Event at = event_at(event);
      return at.stream == nullptr ? 0 : give(stream, [at] { at.stream->run(at.position); });
    });
  };
}

void add_events(CudaDriver& table) {
  table.create_event = [](Handle* event, unsigned) {
    return call("create_event", [=] {
      *event = new Event;
      return ++machine->live_events, 0;
    });
  };
  table.destroy_event = [](Handle event) {
    return call("destroy_event", [=] {
      delete static_cast<Event*>(event);
      return --machine->live_events, 0;
    });
  };
  table.record_event = [](Handle event, Handle stream) {
    return call("record_event", [=] {
      event_at(event) = {&stream_at(stream), stream_at(stream).work.size()};
      return 0;
    });
  };
  table.query_event = [](Handle event) {
    return call("query_event", [=] {
      const Event& at = event_at(event);
      return at.stream == nullptr || at.stream->done >= at.position ? 0 : CudaDriver::not_ready;
    });
  };
  table.synchronize_event = [](Handle event) {
    return call("synchronize_event", [=] {
      const Event at = event_at(event);
      if (at.stream != nullptr) at.stream->run(at.position);
      return 0;
    });
  };
}

}  // namespace

Machine::Machine(int number, std::size_t size) : devices(number), bytes(size) {
  machine = this;
  add_machine(table_);
  add_memory(table_);
  add_copies(table_);
  add_streams(table_);
  add_events(table_);
  before_ = sinter::detail::replace_cuda_driver(&table_);
}

Machine::~Machine() {
  remove();
  for (const auto& [address, allocation] : memory) std::free(host(address));
}

void Machine::remove() {
  if (!std::exchange(removed_, true)) sinter::detail::replace_cuda_driver(before_);
}

int Machine::calls(const std::string& function) const {
  const std::lock_guard lock(mutex);
  const auto found = counts.find(function);
  return found == counts.end() ? 0 : found->second;
}

void launch(Handle stream, std::function<void()> work) {
  const std::lock_guard lock(mutex);
  give(stream, std::move(work));
}

}  // namespace fake_cuda
