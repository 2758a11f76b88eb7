#pragma once

#include <dirent.h>    // opendir, readdir, closedir
#include <fcntl.h>     // open, fcntl
#include <sys/mman.h>  // memfd_create
#include <sys/stat.h>  // fstat
#include <unistd.h>    // pread, write, close, unlink

#include <cerrno>   // errno
#include <cstdlib>  // mkdtemp, mkostemp, std::getenv
#include <vector>   // std::vector

#include <sinter/compile/file.hpp>

namespace sinter::inline SINTER_ABI::compiler {

namespace detail {

// TMPDIR, and where else there may be a place.
SINTER_INLINE std::vector<std::string> temporary_roots() {
  const char* const root = std::getenv("TMPDIR");
  if (root == nullptr || *root == '\0') return {"/tmp", "/var/tmp", "/dev/shm"};
  return {root, "/tmp", "/var/tmp", "/dev/shm"};
}

}  // namespace detail

SINTER_INLINE void File::close() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

SINTER_INLINE File anonymous_file(std::string_view content) {
  File file(memfd_create("sinter", MFD_CLOEXEC));
  if (!file) {
    for (const std::string& root : detail::temporary_roots()) {
      std::string path = root + "/sinter-XXXXXX";
      file = File(mkostemp(path.data(), O_CLOEXEC));
      if (!file) continue;
      unlink(path.c_str());
      break;
    }
  }
  file = above_standard_streams(std::move(file));
  if (!file || !write_all(file, content) || lseek(file.descriptor(), 0, SEEK_SET) != 0) return {};
  return file;
}

SINTER_INLINE bool write_all(const File& file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(file.descriptor(), content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

SINTER_INLINE bool write_file(const std::string& path, std::string_view content) {
  const File file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  return file && write_all(file, content);
}

SINTER_INLINE File above_standard_streams(File file) {
  if (!file || file.descriptor() > 2) return file;
  return File(fcntl(file.descriptor(), F_DUPFD_CLOEXEC, 3));
}

SINTER_INLINE std::optional<std::string> read_all(const File& file) {
  struct stat info {};
  if (fstat(file.descriptor(), &info) != 0 || info.st_size < 0) return std::nullopt;
  std::string result(static_cast<std::size_t>(info.st_size), '\0');
  std::size_t done = 0;
  while (done < result.size()) {
    const ssize_t count = pread(file.descriptor(), result.data() + done, result.size() - done,
                                static_cast<off_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::nullopt;
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  result.resize(done);
  return result;
}

SINTER_INLINE TemporaryDirectory::TemporaryDirectory() {
  for (const std::string& root : detail::temporary_roots()) {
    std::string path = root + "/sinter-XXXXXX";
    if (mkdtemp(path.data()) == nullptr) continue;
    path_ = path;
    return;
  }
}

SINTER_INLINE TemporaryDirectory::~TemporaryDirectory() {
  DIR* const directory = kept_ || path_.empty() ? nullptr : opendir(path_.c_str());
  if (directory == nullptr) return;
  while (const dirent* const entry = readdir(directory)) {
    unlinkat(dirfd(directory), entry->d_name, 0);  // "." and ".." refuse
  }
  closedir(directory);
  rmdir(path_.c_str());
}

}  // namespace sinter::inline SINTER_ABI::compiler
