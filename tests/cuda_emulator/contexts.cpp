// The machine, its GPUs and their contexts. The handle of a context is the address of its device.

#include <cstdio>
#include <cstring>

#include "conditions.hpp"
#include "machine.hpp"

namespace emulator {

namespace {

using Handle = void*;

constexpr int invalid_value = 1, invalid_device = 101, invalid_context = 201;
constexpr int peer_already_enabled = 704;

Device* device_at(int index) {
  const auto at = static_cast<std::size_t>(index);
  return at < machine().devices.size() ? machine().devices[at].get() : nullptr;
}

struct Result {
  int number;
  const char* name;
  const char* text;
};

constexpr Result results[]{
    {0, "CUDA_SUCCESS", "no error"},
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {200, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {600, "CUDA_ERROR_NOT_READY", "device not ready"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is already enabled"},
    {716, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
     "operation not permitted when stream is capturing"},
};

const Result* find(int number) {
  for (const Result& one : results) {
    if (one.number == number) return &one;
  }
  return nullptr;
}

int error_name(int result, const char** text) {
  const Result* const one = find(result);
  *text = one == nullptr ? nullptr : one->name;
  return one == nullptr ? invalid_value : 0;
}

int error_string(int result, const char** text) {
  const Result* const one = find(result);
  *text = one == nullptr ? nullptr : one->text;
  return one == nullptr ? invalid_value : 0;
}

int device_name(char* name, int size, int index) {
  if (device_at(index) == nullptr) return invalid_device;
  std::snprintf(name, static_cast<std::size_t>(size), "emulated GPU");
  return 0;
}

int device_attribute(int* value, int attribute, int index) {
  if (device_at(index) == nullptr) return invalid_device;
  const int capability = machine().settings.capability;
  switch (attribute) {
    case 1:
      *value = 1024;
      break;  // threads of a block
    case 8:
      *value = 48 * 1024;
      break;  // shared memory of a block
    case 10:
      *value = 32;
      break;  // threads of a warp
    case 12:
      *value = 65536;
      break;  // registers of a block
    case 16:
      *value = 132;
      break;  // multiprocessors: those of an H200
    case 38:
      *value = 64 * 1024;
      break;  // level 2 cache: small, since timing overwrites it
    case 39:
      *value = 2048;
      break;  // threads of a multiprocessor
    case 75:
      *value = capability / 10;
      break;
    case 76:
      *value = capability % 10;
      break;
    case 81:
      *value = 228 * 1024;
      break;  // shared memory of a multiprocessor
    case 97:
      *value = (capability == 80 ? 163 : 227) * 1024;
      break;
    default:
      *value = 0;
  }
  return 0;
}

int device_memory(std::size_t* bytes, int index) {
  const Device* const device = device_at(index);
  if (device == nullptr) return invalid_device;
  *bytes = device->arena.total();
  return 0;
}

int can_access_peer(int* can, int device, int peer) {
  if (device_at(device) == nullptr || device_at(peer) == nullptr) return invalid_device;
  *can = device != peer;
  return 0;
}

int retain_context(Handle* context, int index) {
  Device* const device = device_at(index);
  if (device == nullptr) return invalid_device;
  ++device->retained;
  *context = device;
  return 0;
}

int release_context(int index) {
  Device* const device = device_at(index);
  if (device == nullptr) return invalid_device;
  return device->retained-- > 0 ? 0 : invalid_context;
}

int set_context(Handle context) {
  current_device() = -1;
  if (context == nullptr) return 0;
  for (const auto& device : machine().devices) {
    if (device.get() == context) current_device() = device->arena.device();
  }
  return current_device() < 0 ? invalid_context : 0;
}

int context(Handle* context) { return *context = machine().current(), 0; }

int enable_peer_access(Handle peer, unsigned) {
  Device* const device = machine().current();
  if (device == nullptr || peer == device) return invalid_context;
  for (const auto& other : machine().devices) {
    if (other.get() != peer) continue;
    return device->peers.insert(other->arena.device()).second ? 0 : peer_already_enabled;
  }
  return invalid_context;
}

int synchronize() {
  const std::scoped_lock lock(machine().mutex);
  Device* const device = machine().current();
  if (device == nullptr) return invalid_context;
  finish_device(*device);
  return device->error;
}

}  // namespace

void fill_contexts(sinter::detail::CudaDriver& table) {
  table.init = [](unsigned) { return 0; };
  table.version = [](int* version) { return *version = conditions().driver_version, 0; };
  table.error_name = error_name;
  table.error_string = error_string;
  table.device_count = [](int* count) {
    return *count = static_cast<int>(machine().devices.size()), 0;
  };
  table.device = [](int* device, int index) {
    return *device = index, device_at(index) == nullptr ? invalid_device : 0;
  };
  table.device_name = device_name;
  table.device_attribute = device_attribute;
  table.device_memory = device_memory;
  table.can_access_peer = can_access_peer;
  table.retain_context = retain_context;
  table.release_context = release_context;
  table.set_context = set_context;
  table.context = context;
  table.enable_peer_access = enable_peer_access;
  table.synchronize = synchronize;
}

const sinter::detail::CudaDriver& driver_table() {
  static const sinter::detail::CudaDriver instance = [] {
    sinter::detail::CudaDriver table;
    fill_contexts(table);
    fill_modules(table);
    fill_memory(table);
    fill_streams(table);
    fill_graphs(table);
    return table;
  }();
  return instance;
}

}  // namespace emulator
