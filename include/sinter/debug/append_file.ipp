#pragma once

#include <sys/stat.h>  // mkdir

#include <cerrno>   // errno
#include <cstring>  // std::strerror

#include <sinter/base/error.hpp>
#include <sinter/base/text.hpp>
#include <sinter/debug/append_file.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

// Makes the folder of `path`, and those above it.
SINTER_INLINE void make_folder_of(const std::string& path) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    mkdir(path.substr(0, slash).c_str(), 0777);  // the file says what failed
  }
}

SINTER_INLINE AppendFile::AppendFile(std::string op, std::string path, bool append, Where where)
    : op_(std::move(op)), path_(std::move(path)), where_(where) {
  make_folder_of(path_);
  file_ = std::fopen(path_.c_str(), append ? "ae" : "we");
  if (file_ == nullptr) fail("the file cannot be opened");
}

SINTER_INLINE AppendFile::~AppendFile() {
  if (file_ != nullptr) std::fclose(file_);
}

SINTER_INLINE bool AppendFile::is_empty() const {
  struct stat info {};
  return fstat(fileno(file_), &info) == 0 && info.st_size == 0;
}

SINTER_INLINE void AppendFile::write(std::string_view bytes) {
  const bool done = std::fwrite(bytes.data(), 1, bytes.size(), file_) == bytes.size();
  if (std::fflush(file_) != 0 || !done) fail("the file cannot be written");
}

SINTER_INLINE void AppendFile::fail(std::string_view what) const {
  throw IoError({.op = op_,
                 .what = std::string(what),
                 .facts = {{"file", path_}, {"reason", std::strerror(errno)}},
                 .fix = "write to a folder of your own that has room",
                 .where = where_});
}

}  // namespace sinter::inline SINTER_ABI::detail::debug
