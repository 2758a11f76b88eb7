#pragma once

#include <fcntl.h>     // open
#include <sys/stat.h>  // fstat, stat, fchmod
#include <unistd.h>    // pread, write, fsync, unlink, getpid, getcwd

#include <algorithm>     // std::min
#include <atomic>        // std::atomic
#include <cerrno>        // errno
#include <cstdio>        // std::rename
#include <cstdlib>       // realpath, std::free
#include <system_error>  // std::generic_category

#include <sinter/base/file.hpp>

namespace sinter::inline SINTER_ABI::detail::disk {

namespace detail {

// The maximum size of one system call; some systems refuse larger ones.
inline constexpr std::size_t max_transfer = std::size_t{1} << 30;

// Throws IoError with the reason that the system gave.
[[noreturn]] SINTER_INLINE void refuse_system(const Access& access, std::string what, int error,
                                              std::string fix) {
  refuse(access, {.what = std::move(what),
                  .facts = {{"system", std::generic_category().message(error)}},
                  .rule = "the operating system permits the access",
                  .fix = std::move(fix)});
}

SINTER_INLINE std::string working_directory() {
  char* const path = getcwd(nullptr, 0);
  const std::string result = path == nullptr ? "the working directory" : path;
  std::free(path);
  return result;
}

// `path`, or the file that it is a symbolic link to.
SINTER_INLINE std::string behind_links(const std::string& path) {
  char* const resolved = realpath(path.c_str(), nullptr);
  const std::string result = resolved == nullptr ? path : resolved;
  std::free(resolved);
  return result;
}

SINTER_INLINE std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

[[noreturn]] SINTER_INLINE void refuse_special(const Access& access) {
  refuse(access, {.what = "this is not a regular file",
                  .rule = "the path names a regular file",
                  .fix = "name a file, not a folder or a device"});
}

}  // namespace detail

SINTER_INLINE void refuse(const Access& access, Flaw flaw) {
  flaw.facts.insert(flaw.facts.begin(),
                    {"file", access.path.empty() ? "\"\"" : shown(access.path)});
  throw IoError({.op = access.op,
                 .what = flaw.what,
                 .facts = std::move(flaw.facts),
                 .rule = flaw.rule,
                 .fix = flaw.fix,
                 .where = access.where,
                 .see = "files"});
}

SINTER_INLINE std::string shown(std::string_view text) {
  constexpr std::size_t longest = 200;
  constexpr const char* digits = "0123456789abcdef";
  std::string result;
  for (const char c : text.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) {
      result += c;
    } else {
      result.append({'\\', 'x', digits[byte >> 4], digits[byte & 15]});
    }
  }
  return text.size() > longest ? result + "..." : result;
}

SINTER_INLINE Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

SINTER_INLINE InputFile::InputFile(Access access) : access_(std::move(access)) {
  // A named pipe without O_NONBLOCK would wait for a writer.
  descriptor_ = Descriptor(::open(access_.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info {};
  if (descriptor_.number() < 0 || fstat(descriptor_.number(), &info) != 0) {
    const int error = errno;
    detail::refuse_system(
        access_, "the file cannot be opened", error,
        text("check the path; relative ones start at ", detail::working_directory()));
  }
  if (!S_ISREG(info.st_mode)) detail::refuse_special(access_);
  size_ = static_cast<std::uint64_t>(info.st_size);
}

SINTER_INLINE void InputFile::read(std::uint64_t offset, void* destination,
                                   std::size_t bytes) const {
  auto* to = static_cast<char*>(destination);
  while (bytes > 0) {
    const ssize_t count = pread(descriptor_.number(), to, std::min(bytes, detail::max_transfer),
                                static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) detail::refuse_system(access_, "the file cannot be read", errno, "try again");
    if (count == 0) {
      refuse(access_, {.what = "the file ends too early",
                       .facts = {{"bytes", text(offset)}, {"missing", text(bytes)}},
                       .rule = "a file has all the bytes that it announces"});
    }
    to += count;
    offset += static_cast<std::uint64_t>(count);
    bytes -= static_cast<std::size_t>(count);
  }
}

SINTER_INLINE std::string InputFile::read(std::uint64_t offset, std::size_t bytes) const {
  std::string result(bytes, '\0');
  read(offset, result.data(), bytes);
  return result;
}

SINTER_INLINE OutputFile::OutputFile(Access access)
    : access_(std::move(access)), target_(detail::behind_links(access_.path)) {
  static std::atomic<unsigned>& number = *new std::atomic<unsigned>;
  if (target_.empty()) {
    refuse(access_, {.what = "the path is empty",
                     .rule = "the path names a regular file",
                     .fix = "give the path of the file to write"});
  }
  struct stat old {};
  const bool replaces = stat(target_.c_str(), &old) == 0;
  if (replaces && !S_ISREG(old.st_mode)) detail::refuse_special(access_);
  do {
    temporary_ = text(target_, ".partial-", getpid(), "-", number++);
    descriptor_ =
        Descriptor(::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  } while (descriptor_.number() < 0 && errno == EEXIST);
  if (descriptor_.number() < 0) {
    const int error = errno;
    temporary_.clear();
    detail::refuse_system(access_, "the file cannot be written", error,
                          text("make the folder ", detail::folder_of(target_),
                               " first, and one that this user may write to"));
  }
  // Keeps owner and permissions of the old file; falls back to the defaults if the system refuses.
  if (replaces) static_cast<void>(!fchmod(descriptor_.number(), old.st_mode & 0777));
}

SINTER_INLINE OutputFile::~OutputFile() {
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

SINTER_INLINE void OutputFile::write(const void* bytes, std::size_t count) {
  const auto* from = static_cast<const char*>(bytes);
  size_ += count;
  while (count > 0) {
    const ssize_t written =
        ::write(descriptor_.number(), from, std::min(count, detail::max_transfer));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      detail::refuse_system(access_, "the file cannot be written", written < 0 ? errno : ENOSPC,
                            "free disk space; the old file is unchanged");
    }
    from += written;
    count -= static_cast<std::size_t>(written);
  }
}

SINTER_INLINE void OutputFile::commit() {
  if (fsync(descriptor_.number()) != 0 || std::rename(temporary_.c_str(), target_.c_str()) != 0) {
    detail::refuse_system(access_, "the file cannot be written", errno,
                          "free disk space; the old file is unchanged");
  }
  temporary_.clear();
  // Syncs the directory, so that the rename survives a crash; not supported by every file system.
  const Descriptor folder(
      ::open(detail::folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.number() >= 0) static_cast<void>(fsync(folder.number()));
}

}  // namespace sinter::inline SINTER_ABI::detail::disk
