#pragma once
// Shared libraries opened at run time.

#include <initializer_list>  // std::initializer_list
#include <string>            // std::string
#include <utility>           // std::exchange

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// An open shared library; the destructor closes it.
class SharedLibrary {
 public:
  SharedLibrary() = default;
  /// Opens the first of `paths` that works, each a path or a name that the loader searches for.
  explicit SharedLibrary(const std::initializer_list<std::string>& paths)
      : SharedLibrary(paths.begin(), paths.end()) {}
  SharedLibrary(const std::string* first, const std::string* last);
  SharedLibrary(SharedLibrary&& other) noexcept
      : handle_(std::exchange(other.handle_, nullptr)), reason_(std::move(other.reason_)) {}
  SharedLibrary& operator=(SharedLibrary&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(reason_, other.reason_);
    return *this;
  }
  ~SharedLibrary();

  explicit operator bool() const { return handle_ != nullptr; }
  /// The loader's error message; empty if the library is open.
  const std::string& reason() const { return reason_; }

  /// The address of `name`, or null.
  void* symbol(const char* name) const;

  /// Sets `function` to the function called `name`; false if there is none.
  template <class Function>
  bool find(const char* name, Function*& function) const {
    function = reinterpret_cast<Function*>(symbol(name));
    return function != nullptr;
  }

 private:
  void* handle_ = nullptr;
  std::string reason_{};
};

/// Opens a library of the CUDA toolkit: the first of `names` that works. Each is searched for by
/// the loader, then in CUDA_HOME, CUDA_PATH and /usr/local/cuda.
SharedLibrary toolkit_library(const std::initializer_list<std::string>& names);

/// The path of another file in the toolkit's library folder; empty if it is missing.
std::string toolkit_file(const std::string& name);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/device/host/shared_library.ipp>
#endif
