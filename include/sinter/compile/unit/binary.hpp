#pragma once
// Compiled kernels in memory: a host shared object, or a cubin.

#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/source.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

/// A loaded compiler output. Its functions live as long as the Binary.
class Binary {
 public:
  /// Loads exactly these bytes, from memory or a private file that nobody can replace; with
  /// SINTER_DUMP, from a file in that directory.
  /// InternalError, with the loader's message, if they are not a shared object for this machine.
  static SharedPtr<const Binary> load(Language language, std::string bytes);

  Binary(const Binary&) = delete;
  Binary& operator=(const Binary&) = delete;
  ~Binary();

  Language language() const { return language_; }
  std::string_view bytes() const { return bytes_; }

  /// The address of the function `name`, or null. Always null for a cubin, which the CUDA driver
  /// has to load.
  void* symbol(const std::string& name) const;

 private:
  Binary(Language language, std::string bytes) : language_(language), bytes_(std::move(bytes)) {}

  /// Loads the bytes; returns the loader's message if that fails.
  std::string open();

  Language language_;
  std::string bytes_;
  void* handle_ = nullptr;
};

}  // namespace sinter::inline SINTER_ABI::detail::compiler

#ifdef SINTER_DEFINITIONS
#include <sinter/compile/unit/binary.ipp>
#endif
