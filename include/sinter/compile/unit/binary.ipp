#pragma once

#include <dlfcn.h>     // dlopen, dlsym, dlclose, dlerror
#include <fcntl.h>     // O_CLOEXEC
#include <sys/stat.h>  // mkdir

#include <atomic>    // std::atomic
#include <cstdlib>   // mkostemps
#include <optional>  // std::optional

#include <sinter/base/env.hpp>
#include <sinter/base/error.hpp>
#include <sinter/base/text.hpp>
#include <sinter/compile/unit/binary.hpp>
#include <sinter/compile/unit/temporary_file.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

namespace detail {

// A path for `descriptor` that was never used before. The loader compares paths before files, so a
// reused descriptor number would return the library that was loaded under it before.
SINTER_INLINE std::string path_of(int descriptor) {
  static auto& count = *new std::atomic<unsigned>(0);
  std::string path = "/proc/self/fd/";
  for (unsigned number = ++count; number != 0; number /= 2) path += number % 2 ? "./" : "/";
  return path + std::to_string(descriptor);
}

SINTER_INLINE void* open_in_memory(std::string_view bytes) {
  const File file = anonymous_file(bytes);
  return file ? dlopen(path_of(file.descriptor()).c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
}

// Loads a library from a new file in `directory`, which stays.
SINTER_INLINE void* open_in_directory(const std::string& directory, std::string_view bytes) {
  std::string path = directory + "/kernels_XXXXXX.so";
  File file(mkostemps(path.data(), 3, O_CLOEXEC));
  if (!file || !write_all(file, bytes)) return nullptr;
  file.close();
  return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
}

// With SINTER_DUMP=dir the library is a file there, which stays: perf and debuggers read the names
// of kernels from the files that they were loaded from.
SINTER_INLINE void* open_dumped(std::string_view bytes) {
  const std::string directory(env(Env::dump));
  if (directory.empty()) return nullptr;
  mkdir(directory.c_str(), 0777);
  return open_in_directory(directory, bytes);
}

SINTER_INLINE void* open(std::string_view bytes) {
  if (void* const handle = open_dumped(bytes); handle != nullptr) return handle;
  if (void* const handle = open_in_memory(bytes); handle != nullptr) return handle;
  // A system without /proc. The directory is private, so that nobody can replace the file.
  const TemporaryDirectory directory;
  return open_in_directory(directory.path(), bytes);
}

// Makes libm visible to kernels, for statically linked programs and for plugins in programs without
// libm.
SINTER_INLINE bool provide_libm() { return dlopen("libm.so.6", RTLD_NOW | RTLD_GLOBAL) != nullptr; }

}  // namespace detail

SINTER_INLINE std::string Binary::open() {
  const auto attempt = [this] {
    handle_ = detail::open(bytes_);
    const char* const reason = handle_ == nullptr ? dlerror() : nullptr;
    return std::string(reason == nullptr ? "" : reason);
  };
  const std::string reason = attempt();
  const bool lacks_symbol = reason.find("undefined symbol") != std::string::npos;
  return lacks_symbol && detail::provide_libm() ? attempt() : reason;
}

SINTER_INLINE SharedPtr<const Binary> Binary::load(Language language, std::string bytes) {
  const SharedPtr<Binary> result = share(UniquePtr<Binary>(new Binary(language, std::move(bytes))));
  if (language == Language::cuda) return result;
  const std::string reason = result->open();
  if (result->handle_ == nullptr) {
    throw InternalError(text("compiled kernels cannot be loaded: ",
                             reason.empty() ? "no place for a temporary file" : reason));
  }
  return result;
}

SINTER_INLINE Binary::~Binary() {
  if (handle_ != nullptr) dlclose(handle_);
}

SINTER_INLINE void* Binary::symbol(const std::string& name) const {
  return handle_ == nullptr ? nullptr : dlsym(handle_, name.c_str());
}

}  // namespace sinter::inline SINTER_ABI::detail::compiler
