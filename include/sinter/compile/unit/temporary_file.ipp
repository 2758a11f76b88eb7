#pragma once

#include <dirent.h>    // opendir, readdir, closedir
#include <fcntl.h>     // open, fcntl
#include <sys/file.h>  // flock
#include <sys/mman.h>  // memfd_create
#include <sys/stat.h>  // fstat
#include <unistd.h>    // pread, write, close, unlink

#include <cerrno>   // errno
#include <cstdlib>  // mkdtemp, mkostemp, std::getenv
#include <mutex>    // std::call_once
#include <string>   // std::string
#include <vector>   // std::vector

#include <sinter/base/text.hpp>
#include <sinter/compile/unit/temporary_file.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

namespace detail {

// The places to try, in order.
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
  const File file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  return file && write_all(file, content);
}

SINTER_INLINE File above_standard_streams(File file) {
  if (!file || file.descriptor() > 2) return file;
  return File(fcntl(file.descriptor(), F_DUPFD_CLOEXEC, 3));
}

SINTER_INLINE Optional<std::string> read_all(const File& file) {
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

namespace detail {

inline constexpr std::string_view temporary_name = "sinter-compile-";
// Marks a directory as kept: the sticky bit, which has no other meaning here.
inline constexpr mode_t kept_mark = S_ISVTX;

// Opens and locks a directory while the file is open. Empty if another process holds the lock, or,
// if `required`, if the file system does not support locks.
SINTER_INLINE File locked_directory(const std::string& path, bool required) {
  File file(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  file = above_standard_streams(std::move(file));
  const bool is_locked = file && flock(file.descriptor(), LOCK_EX | LOCK_NB) == 0;
  if (!is_locked && (required || errno == EWOULDBLOCK)) return {};
  struct stat there {
  }, locked{};
  const bool is_there = file && fstat(file.descriptor(), &locked) == 0 &&
                        stat(path.c_str(), &there) == 0 && there.st_ino == locked.st_ino;
  return is_there && locked.st_uid == geteuid() ? std::move(file) : File();
}

SINTER_INLINE void remove_directory(const std::string& path) {
  DIR* const directory = opendir(path.c_str());
  if (directory == nullptr) return;
  while (const dirent* const entry = readdir(directory)) {
    unlinkat(dirfd(directory), entry->d_name, 0);  // "." and ".." refuse
  }
  closedir(directory);
  rmdir(path.c_str());
}

// Removes directories whose lock no process holds.
SINTER_INLINE void remove_abandoned(const std::string& root) {
  DIR* const directory = opendir(root.c_str());
  if (directory == nullptr) return;
  while (const dirent* const entry = readdir(directory)) {
    const std::string_view name = entry->d_name;
    if (name.substr(0, temporary_name.size()) != temporary_name) continue;
    const std::string path = root + "/" + std::string(name);
    const File lock = locked_directory(path, true);
    struct stat info {};
    const bool is_known = lock && fstat(lock.descriptor(), &info) == 0;
    if (is_known && (info.st_mode & kept_mark) == 0) remove_directory(path);
  }
  closedir(directory);
}

}  // namespace detail

SINTER_INLINE TemporaryDirectory::TemporaryDirectory() {
  static std::once_flag first;
  for (const std::string& root : detail::temporary_roots()) {
    for (int attempt = 0; attempt < 8; ++attempt) {
      std::string path = text(root, "/", detail::temporary_name, "XXXXXX");
      if (mkdtemp(path.data()) == nullptr) break;
      lock_ = detail::locked_directory(path, false);
      if (!lock_) continue;  // another process removed it as abandoned
      path_ = path;
      std::call_once(first, [&] { detail::remove_abandoned(root); });
      return;
    }
  }
}

SINTER_INLINE TemporaryDirectory::~TemporaryDirectory() {
  if (!path_.empty() && !kept_) detail::remove_directory(path_);
}

SINTER_INLINE void TemporaryDirectory::keep() {
  kept_ = path_.empty() || chmod(path_.c_str(), 0700 | detail::kept_mark) == 0;
}

}  // namespace sinter::inline SINTER_ABI::detail::compiler
