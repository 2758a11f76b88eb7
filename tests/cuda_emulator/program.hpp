#pragma once
// Test helpers to compile kernels, allocate memory and launch, through the installed driver tables.

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include <sinter/base/text.hpp>
#include <sinter/compile/nvrtc/compiler.hpp>
#include <sinter/device/cuda/query.hpp>

#include "gpus.hpp"

namespace emulator {

inline void check(int result, const char* call) {
  if (result != 0) throw std::runtime_error(sinter::detail::text(call, " gives ", result));
}

inline const sinter::detail::CudaDriver& driver() { return *sinter::detail::cuda_driver(); }

/// Makes the context of a device current on this thread. The context of a real GPU is kept alive,
/// as it would be destroyed with its last user; an emulated one lives as long as its machine.
inline void use_device(int index) {
  void* context = nullptr;
  check(driver().retain_context(&context, index), "retain_context");
  check(driver().set_context(context), "set_context");
  if (!uses_real_gpus()) check(driver().release_context(index), "release_context");
}

/// Memory of the current device.
template <class T>
class Buffer {
 public:
  explicit Buffer(std::size_t count) : count_(count) {
    check(driver().allocate(&address_, count * sizeof(T)), "allocate");
  }
  explicit Buffer(const std::vector<T>& values) : Buffer(values.size()) {
    check(driver().copy_to_device(address_, values.data(), count_ * sizeof(T)), "copy_to_device");
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { free(); }

  void free() {
    if (address_ != 0) driver().free(address_);
    address_ = 0;
  }
  std::uint64_t address() const { return address_; }
  std::vector<T> values() const {
    std::vector<T> result(count_);
    check(driver().copy_to_host(result.data(), address_, count_ * sizeof(T)), "copy_to_host");
    return result;
  }

 private:
  std::uint64_t address_ = 0;
  std::size_t count_ = 0;
};

template <class T>
std::uint64_t parameter(const Buffer<T>& buffer) {
  return buffer.address();
}
template <class T>
T parameter(const T& value) {
  return value;
}

struct Shape {
  unsigned blocks = 1, threads = 1, shared_bytes = 0;
};

/// A module compiled from a text.
class Program {
 public:
  explicit Program(const std::string& text) {
    const sinter::detail::compiler::Cubin cubin = sinter::detail::compiler::compile_cuda(
        {.language = sinter::detail::Language::cuda,
         .architecture = sinter::detail::cuda_architecture(sinter::cuda())},
        text);
    check(driver().load_module(&module_, cubin.bytes.data()), "load_module");
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() { driver().unload_module(module_); }

  void* function(const std::string& name) const {
    void* result = nullptr;
    check(driver().function(&result, module_, name.c_str()), "function");
    return result;
  }
  void* module() const { return module_; }

  /// The status of the launch; its work may be pending.
  template <class... P>
  int start(const std::string& name, const Shape& shape, const P&... values) const {
    return start_with(name, shape, parameter(values)...);
  }
  /// The status of the launch, or if that is 0, of the wait for it.
  template <class... P>
  int run(const std::string& name, const Shape& shape, const P&... values) const {
    const int result = start(name, shape, values...);
    const int waited = driver().synchronize();
    return result != 0 ? result : waited;
  }

 private:
  template <class... P>
  int start_with(const std::string& name, const Shape& shape, P... values) const {
    void* pointers[]{static_cast<void*>(&values)..., nullptr};
    return driver().launch(function(name), shape.blocks, 1, 1, shape.threads, 1, 1,
                           shape.shared_bytes, nullptr, pointers, nullptr);
  }

  void* module_ = nullptr;
};

/// A graph and its instantiation.
struct TestGraph {
  TestGraph() { check(driver().create_graph(&handle, 0), "create_graph"); }
  TestGraph(const TestGraph&) = delete;
  TestGraph& operator=(const TestGraph&) = delete;
  ~TestGraph() {
    if (executable != nullptr) driver().destroy_executable(executable);
    driver().destroy_graph(handle);
  }
  void instantiate() {
    check(driver().instantiate_graph(&executable, handle, 0), "instantiate_graph");
  }
  int run() const {
    const int launched = driver().launch_graph(executable, nullptr);
    const int waited = driver().synchronize();
    return launched != 0 ? launched : waited;
  }
  void *handle = nullptr, *executable = nullptr;
};

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace emulator
