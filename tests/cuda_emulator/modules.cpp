// Modules, functions and launches of the driver.

#include <algorithm>
#include <stdexcept>

#include "machine.hpp"
#include "reports.hpp"

namespace emulator {

namespace {

using Handle = void*;

constexpr int invalid_value = 1, invalid_image = 200, invalid_context = 201, invalid_handle = 400;
constexpr int not_found = 500;

int load_module(Handle* module, const void* image) {
  const std::scoped_lock lock(machine().mutex);
  if (machine().current() == nullptr) return invalid_context;
  try {
    auto one = std::make_shared<Module>(image, current_device());
    *module = one.get();
    machine().modules[one.get()] = std::move(one);
    return 0;
  } catch (const std::runtime_error&) {
    return invalid_image;
  }
}

bool has_work(const Device& device) {
  return !device.default_stream.queue.empty() ||
         std::any_of(device.streams.begin(), device.streams.end(),
                     [](const auto& stream) { return !stream->queue.empty(); });
}

int unload_module(Handle module) {
  const std::scoped_lock lock(machine().mutex);
  const Device* const device = machine().current();
  if (device != nullptr && has_work(*device)) {
    add_report("a module is unloaded while its GPU has work");
  }
  std::erase_if(machine().functions,
                [&](const auto& one) { return one.second->module.get() == module; });
  return machine().modules.erase(module) == 1 ? 0 : invalid_handle;
}

int function(Handle* result, Handle handle, const char* name) {
  const std::scoped_lock lock(machine().mutex);
  const auto found = machine().modules.find(handle);
  if (found == machine().modules.end()) return invalid_handle;
  const std::shared_ptr<Module>& module = found->second;
  void* const call = module->symbol(std::string("emulated_call_") + name);
  void* const sizes = module->symbol(std::string("emulated_sizes_") + name);
  if (call == nullptr || sizes == nullptr) return not_found;
  auto one = std::make_shared<Function>();
  one->module = module;
  one->name = name;
  one->call = reinterpret_cast<void (*)(void**)>(call);
  one->sizes.resize(512);
  const int count = reinterpret_cast<int (*)(unsigned*)>(sizes)(one->sizes.data());
  one->sizes.resize(static_cast<std::size_t>(count));
  if (void* const bound = module->symbol(std::string("emulated_bound_") + name)) {
    one->most_threads = *static_cast<const int*>(bound);
  }
  *result = one.get();
  machine().functions[one.get()] = std::move(one);
  return 0;
}

int global(Address* address, std::size_t* bytes, Handle handle, const char* name) {
  const std::scoped_lock lock(machine().mutex);
  const auto found = machine().modules.find(handle);
  if (found == machine().modules.end()) return invalid_handle;
  const Variable* const one = found->second->variable(name);
  if (one == nullptr) return not_found;
  if (address != nullptr) *address = one->address;
  if (bytes != nullptr) *bytes = one->bytes;
  return 0;
}

Function* function_of(Handle handle) {
  const auto found = machine().functions.find(handle);
  return found == machine().functions.end() ? nullptr : found->second.get();
}

int function_attribute(int* value, int attribute, Handle handle) {
  const Function* const one = function_of(handle);
  if (one == nullptr) return invalid_handle;
  switch (attribute) {
    case 0:
      *value = one->most_threads;
      return 0;
    case sinter::detail::CudaDriver::function_shared_bytes:
      *value = 0;
      return 0;
    case sinter::detail::CudaDriver::function_local_bytes:
      *value = 0;
      return 0;
    case sinter::detail::CudaDriver::function_registers:
      *value = 32;
      return 0;
    case sinter::detail::CudaDriver::function_most_dynamic_bytes:
      *value = one->most_dynamic_bytes;
      return 0;
    default:
      return invalid_value;
  }
}

int set_function_attribute(Handle handle, int attribute, int value) {
  Function* const one = function_of(handle);
  if (one == nullptr) return invalid_handle;
  if (attribute != sinter::detail::CudaDriver::function_most_dynamic_bytes) return 0;
  int most = 0;
  driver_table().device_attribute(&most, sinter::detail::CudaDriver::most_shared_bytes, 0);
  if (value < 0 || value > most) return invalid_value;
  one->most_dynamic_bytes = value;
  return 0;
}

int occupancy(int* blocks, Handle handle, int threads, std::size_t shared_bytes) {
  const Function* const one = function_of(handle);
  if (one == nullptr) return invalid_handle;
  if (threads <= 0) return invalid_value;
  const std::size_t by_memory = shared_bytes == 0 ? 32 : 228 * 1024 / (shared_bytes + 1024);
  *blocks =
      static_cast<int>(std::min<std::size_t>(by_memory, static_cast<std::size_t>(2048 / threads)));
  return 0;
}

int launch(Handle handle, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
           unsigned block_y, unsigned block_z, unsigned shared_bytes, Handle stream_handle,
           void** arguments, void** extra) {
  const std::scoped_lock lock(machine().mutex);
  const sinter::detail::CudaKernelNode node{handle,  grid_x,  grid_y,       grid_z,    block_x,
                                            block_y, block_z, shared_bytes, arguments, extra};
  Stream* const stream = stream_of(stream_handle);
  if (stream == nullptr) return machine().current() == nullptr ? invalid_context : invalid_handle;
  const auto one = std::make_shared<Launch>();
  if (const int error = make_launch(node, *one); error != 0) return error;
  if (one->function->module->device() != stream->device) return invalid_handle;
  if (stream->capture != nullptr) return capture(*stream, {.launch = one});
  Device& device = *machine().devices[static_cast<std::size_t>(stream->device)];
  if (device.error != 0) return device.error;
  enqueue(*stream, [one, at = stream->device] { return run_launch(*one, at); });
  return device.error;
}

}  // namespace

int make_launch(const sinter::detail::CudaKernelNode& node, Launch& result) {
  const auto found = machine().functions.find(node.function);
  if (found == machine().functions.end()) return invalid_handle;
  const Function& function = *found->second;
  if (node.extra != nullptr) return invalid_value;
  if (node.arguments == nullptr && !function.sizes.empty()) return invalid_value;
  result.function = found->second;
  result.grid = {node.grid_x, node.grid_y, node.grid_z};
  result.block = {node.block_x, node.block_y, node.block_z};
  result.shared_bytes = node.shared_bytes;
  result.parameters.clear();
  for (std::size_t i = 0; i < function.sizes.size(); ++i) {
    const auto* const from = static_cast<const unsigned char*>(node.arguments[i]);
    result.parameters.emplace_back(from, from + function.sizes[i]);
  }
  return check_launch(result);
}

void fill_modules(sinter::detail::CudaDriver& table) {
  table.load_module = load_module;
  table.unload_module = unload_module;
  table.function = function;
  table.global = global;
  table.function_attribute = function_attribute;
  table.set_function_attribute = set_function_attribute;
  table.occupancy = occupancy;
  table.launch = launch;
}

}  // namespace emulator
