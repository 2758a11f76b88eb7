// The functions of nvJitLink: link relocatable images of NVRTC to images that the driver loads.

#include <cstring>
#include <map>
#include <memory>
#include <string>

#include "conditions.hpp"
#include "machine.hpp"
#include "nvrtc.hpp"

namespace emulator {

namespace {

struct Linker {
  std::string image{}, log{};
  bool has_library = false, complete = false;
};

constexpr int invalid_input = 2, unrecognized_option = 1;

std::map<void*, std::unique_ptr<Linker>>& linkers() {
  static auto& instance = *new std::map<void*, std::unique_ptr<Linker>>;
  return instance;
}

Linker* find(void* handle) {
  const std::scoped_lock lock(machine().mutex);
  const auto found = linkers().find(handle);
  return found == linkers().end() ? nullptr : found->second.get();
}

int create(void** handle, unsigned count, const char** options) {
  const std::scoped_lock lock(machine().mutex);
  if (count != 1 || std::string(options[0]).rfind("-arch=sm_", 0) != 0) return unrecognized_option;
  auto one = std::make_unique<Linker>();
  *handle = one.get();
  linkers()[one.get()] = std::move(one);
  return 0;
}

int destroy(void** handle) {
  const std::scoped_lock lock(machine().mutex);
  if (linkers().erase(*handle) == 0) return invalid_input;
  *handle = nullptr;
  return 0;
}

int add_data(void* handle, int kind, const void* data, std::size_t bytes, const char*) {
  const std::scoped_lock lock(machine().mutex);
  Linker* const linker = find(handle);
  const std::string image(static_cast<const char*>(data), bytes);
  const std::size_t mark = std::strlen(relocatable_mark);
  if (linker == nullptr || kind != sinter::detail::NvJitLink::cubin_input) return invalid_input;
  if (image.compare(0, mark, relocatable_mark) != 0) {
    linker->log = "error: not relocatable device code";
    return invalid_input;
  }
  linker->image = image.substr(mark);
  return 0;
}

int add_file(void* handle, int kind, const char* path) {
  const std::scoped_lock lock(machine().mutex);
  Linker* const linker = find(handle);
  const bool known = std::string(path).find("libcudadevrt.a") != std::string::npos;
  if (linker == nullptr || kind != sinter::detail::NvJitLink::library_input || !known)
    return invalid_input;
  linker->has_library = true;
  return 0;
}

int complete(void* handle) {
  const std::scoped_lock lock(machine().mutex);
  Linker* const linker = find(handle);
  if (linker == nullptr || linker->image.empty()) return invalid_input;
  if (!linker->has_library) {
    linker->log = "error: undefined reference to 'cudaGraphSetConditional'";
    return invalid_input;
  }
  linker->complete = true;
  ++conditions().links;
  return 0;
}

int cubin_size(void* handle, std::size_t* bytes) {
  const Linker* const linker = find(handle);
  if (linker == nullptr || !linker->complete) return invalid_input;
  *bytes = linker->image.size();
  return 0;
}

int cubin(void* handle, void* to) {
  const Linker* const linker = find(handle);
  if (linker == nullptr || !linker->complete) return invalid_input;
  std::memcpy(to, linker->image.data(), linker->image.size());
  return 0;
}

int log_size(void* handle, std::size_t* bytes) {
  const Linker* const linker = find(handle);
  if (linker == nullptr) return invalid_input;
  *bytes = linker->log.size() + 1;
  return 0;
}

int log(void* handle, char* to) {
  const Linker* const linker = find(handle);
  if (linker == nullptr) return invalid_input;
  std::memcpy(to, linker->log.c_str(), linker->log.size() + 1);
  return 0;
}

}  // namespace

const sinter::detail::NvJitLink& nvjitlink_table() {
  static const sinter::detail::NvJitLink instance{.create = create,
                                                  .destroy = destroy,
                                                  .add_data = add_data,
                                                  .add_file = add_file,
                                                  .complete = complete,
                                                  .cubin_size = cubin_size,
                                                  .cubin = cubin,
                                                  .log_size = log_size,
                                                  .log = log};
  return instance;
}

}  // namespace emulator
