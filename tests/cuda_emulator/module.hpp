#pragma once
// A loaded module: a shared object with its kernels and variables.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace emulator {

/// A variable of a module: shared, or global (__device__, __constant__).
struct Variable {
  std::string name{};
  std::uintptr_t address = 0;
  std::size_t bytes = 0;
  bool global = false;
};

class Module {
 public:
  /// Throws std::runtime_error if `image` is not one that the emulated NVRTC made.
  explicit Module(const void* image, int device);
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  ~Module();

  void* symbol(const std::string& name) const;
  /// True if `address` is in a variable; gives the nearest variable at or before it.
  bool owns(std::uintptr_t address) const { return address - data_ < data_bytes_; }
  bool constant(std::uintptr_t address, std::size_t bytes) const;
  const Variable* nearest(std::uintptr_t address) const {
    // Most accesses are to the same variable as the access before.
    const bool again = last_ != nullptr && address - last_->address < last_->bytes;
    return again ? last_ : look_up(address);
  }
  const Variable* variable(const std::string& name) const;
  std::uintptr_t data() const { return data_; }
  std::size_t data_bytes() const { return data_bytes_; }
  int device() const { return device_; }
  /// "kernels.cu:12 in f" for an address of its code.
  std::string line(const void* code) const;

 private:
  const Variable* look_up(std::uintptr_t address) const;
  void read_sections(const unsigned char* image);

  int file_ = -1;
  void* handle_ = nullptr;
  int device_ = 0;
  std::uintptr_t base_ = 0, data_ = 0;
  std::size_t data_bytes_ = 0;
  std::map<std::uintptr_t, std::size_t> constants_{};
  std::map<std::uintptr_t, Variable> variables_{};
  mutable const Variable* last_ = nullptr;  ///< Cache: the last result.
  mutable std::map<const void*, std::string> lines_{};
};

/// A kernel of a module.
struct Function {
  std::shared_ptr<Module> module{};
  std::string name{};
  void (*call)(void**) = nullptr;
  std::vector<unsigned> sizes{};
  int most_threads = 1024;
  int most_dynamic_bytes = 48 * 1024;
};

}  // namespace emulator
