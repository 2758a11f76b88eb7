#pragma once
// A file that grows: what is written is there for readers at once, and survives a crash.

#include <cstdio>       // std::FILE
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/base/where.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

class AppendFile {
 public:
  /// Opens `path`, a new file or with `append` the end of an old one; its folder is made if it is
  /// missing. Throws IoError, in the name of `op`, if that fails.
  AppendFile(std::string op, std::string path, bool append, Where where);
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;
  ~AppendFile();

  const std::string& path() const { return path_; }
  /// Whether nothing has been written to it, before either.
  bool is_empty() const;
  /// Throws IoError, for want of space for instance.
  void write(std::string_view bytes);

 private:
  [[noreturn]] void fail(std::string_view what) const;

  std::string op_, path_;
  Where where_;
  std::FILE* file_ = nullptr;
};

}  // namespace sinter::inline SINTER_ABI::detail::debug

#ifdef SINTER_DEFINITIONS
#include <sinter/debug/append_file.ipp>
#endif
