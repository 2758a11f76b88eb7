#pragma once

#include <dirent.h>    // opendir, readdir, closedir
#include <fcntl.h>     // open, AT_SYMLINK_NOFOLLOW
#include <sys/stat.h>  // stat, mkdir, futimens
#include <unistd.h>    // link, unlink, getpid, geteuid

#include <atomic>    // std::atomic
#include <cerrno>    // errno
#include <charconv>  // std::from_chars
#include <cstdio>    // std::rename
#include <cstdlib>   // std::getenv
#include <cstring>   // std::strerror, std::memcpy
#include <ctime>     // std::time

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/env.hpp>
#include <sinter/base/log.hpp>
#include <sinter/compile/cache/disk_cache.hpp>
#include <sinter/compile/unit/temporary_file.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

namespace detail {

// The file format; changes with its layout.
inline constexpr std::uint64_t entry_magic = 0x3130'7265'746e'6973;  // "sinter01"
inline constexpr std::string_view entry_suffix = ".kernels";
inline constexpr std::string_view writing_prefix = ".writing-";
inline constexpr std::time_t abandoned_seconds = 600;

SINTER_INLINE void put(std::string& out, std::uint64_t value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

SINTER_INLINE std::uint64_t get(std::string_view& in) {
  std::uint64_t value = 0;
  if (in.size() < sizeof(value)) {
    in = {};
    return 0;
  }
  std::memcpy(&value, in.data(), sizeof(value));
  in.remove_prefix(sizeof(value));
  return value;
}

// One warning per process: the program runs without the disk cache.
SINTER_INLINE void warn_not_cached(const std::string& directory, std::string_view reason) {
  static auto& warned = *new std::atomic<bool>(false);
  if (warned.exchange(true)) return;
  warn(text("compiled kernels are not cached on disk: ", directory, directory.empty() ? "" : ": ",
            reason,
            "; every process compiles them again. Set SINTER_CACHE_DIR to a directory of your "
            "own"));
}

// Only files that no user but this one and root can have written are trusted: they hold code.
SINTER_INLINE bool trusted(const struct stat& info) {
  return (info.st_uid == geteuid() || info.st_uid == 0) && (info.st_mode & 022) == 0;
}

SINTER_INLINE bool make_directories(const std::string& path) {
  if (mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return true;
  const std::size_t slash = path.rfind('/');
  if (errno != ENOENT || slash == std::string::npos || slash == 0) return false;
  return make_directories(path.substr(0, slash)) &&
         (mkdir(path.c_str(), 0700) == 0 || errno == EEXIST);
}

// Hard-links `from` as `to`, atomically replacing an existing `to`.
SINTER_INLINE bool add_name(const std::string& from, const std::string& to) {
  const std::string between = text(from, "-link");
  const bool done =
      link(from.c_str(), between.c_str()) == 0 && std::rename(between.c_str(), to.c_str()) == 0;
  unlink(between.c_str());  // rename() keeps it if `to` was the same file already
  return done;
}

struct CachedFile {
  std::string path{};
  std::int64_t time = 0;  // nanoseconds
  std::uint64_t bytes = 0;
};

// Lists the entries of a directory; removes files of writers that died.
SINTER_INLINE Vector<CachedFile> cached_files(const std::string& directory) {
  Vector<CachedFile> result;
  DIR* const open_directory = opendir(directory.c_str());
  if (open_directory == nullptr) return result;
  while (const dirent* const item = readdir(open_directory)) {
    const std::string_view name = item->d_name;
    struct stat info {};
    if (fstatat(dirfd(open_directory), item->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (info.st_nlink == 0) continue;  // another process is removing it
    const bool writing = name.substr(0, writing_prefix.size()) == writing_prefix;
    if (writing && info.st_mtime + abandoned_seconds < std::time(nullptr)) {
      unlinkat(dirfd(open_directory), item->d_name, 0);
    } else if (!writing && name.size() > entry_suffix.size() &&
               name.substr(name.size() - entry_suffix.size()) == entry_suffix) {
      const auto share = static_cast<std::uint64_t>(info.st_size) / info.st_nlink;
      const std::int64_t time = info.st_mtim.tv_sec * 1'000'000'000 + info.st_mtim.tv_nsec;
      result.push_back({text(directory, "/", name), time, share});
    }
  }
  closedir(open_directory);
  return result;
}

}  // namespace detail

SINTER_INLINE std::string serialize(const CacheEntry& entry) {
  std::string body;
  detail::put(body, entry.environment.size());
  detail::put(body, entry.keys.size());
  detail::put(body, entry.payload.size());
  body += entry.environment;
  for (const Hash& key : entry.keys) {
    detail::put(body, key.high);
    detail::put(body, key.low);
  }
  body += entry.payload;
  const Hash checksum = hash_of(body);
  std::string result;
  detail::put(result, detail::entry_magic);
  detail::put(result, checksum.high);
  detail::put(result, checksum.low);
  return result + body;
}

SINTER_INLINE Optional<CacheEntry> deserialize(std::string_view bytes) {
  const std::uint64_t magic = detail::get(bytes);
  Hash checksum;
  checksum.high = detail::get(bytes);
  checksum.low = detail::get(bytes);
  if (magic != detail::entry_magic || hash_of(bytes) != checksum) return std::nullopt;

  const std::uint64_t environment = detail::get(bytes), keys = detail::get(bytes),
                      payload = detail::get(bytes);
  const std::uint64_t limit = bytes.size();
  if (environment > limit || keys > limit / sizeof(Hash) || payload > limit ||
      environment + keys * sizeof(Hash) + payload != limit) {
    return std::nullopt;
  }
  CacheEntry entry{.environment = std::string(bytes.substr(0, environment))};
  bytes.remove_prefix(environment);
  for (std::uint64_t i = 0; i < keys; ++i) {
    Hash key;
    key.high = detail::get(bytes);
    key.low = detail::get(bytes);
    entry.keys.push_back(key);
  }
  entry.payload = bytes;
  return entry;
}

SINTER_INLINE DiskCache::DiskCache(std::string directory, std::uint64_t capacity)
    : directory_(std::move(directory)), capacity_(capacity) {}

SINTER_INLINE std::string DiskCache::path_of(std::string_view environment, const Hash& key) const {
  const Hash name = Hasher().add(environment).add(key).result();
  return text(directory_, "/", name, detail::entry_suffix);
}

SINTER_INLINE Optional<CacheEntry> DiskCache::load(std::string_view environment,
                                                   const Hash& key) const {
  if (directory_.empty()) return std::nullopt;
  struct stat folder {};
  if (stat(directory_.c_str(), &folder) != 0 || !detail::trusted(folder)) return std::nullopt;
  const std::string path = path_of(environment, key);
  const File file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat info {};
  if (!file || fstat(file.descriptor(), &info) != 0) return std::nullopt;
  if (!S_ISREG(info.st_mode) || !detail::trusted(info)) {
    log(Log::cache, text(path, ": ignored, other users may have written it"));
    return std::nullopt;
  }
  Optional<CacheEntry> entry = deserialize(read_all(file).value_or(""));
  if (!entry || entry->environment != environment || !contains(entry->keys, key)) {
    log(Log::cache, text(path, ": ignored, it is damaged or of another environment"));
    return std::nullopt;
  }
  futimens(file.descriptor(), nullptr);  // marks the entry as used; a failure is harmless
  return entry;
}

SINTER_INLINE std::string DiskCache::why_unusable() const {
  struct stat info {};
  if (directory_.empty()) return "neither SINTER_CACHE_DIR nor HOME is set";
  if (!detail::make_directories(directory_) || stat(directory_.c_str(), &info) != 0) {
    return std::strerror(errno);
  }
  if (!S_ISDIR(info.st_mode)) return "not a directory";
  if (detail::trusted(info)) return "";
  const bool own = info.st_uid == geteuid() || info.st_uid == 0;
  return own ? "other users can write to it (fix: chmod go-w)" : "it belongs to another user";
}

SINTER_INLINE bool DiskCache::publish(const CacheEntry& entry, const std::string& temporary) const {
  const std::string bytes = serialize(entry);
  if (!write_file(temporary, bytes)) return false;
  for (const Hash& key : entry.keys) {
    const std::string path = path_of(entry.environment, key);
    if (detail::add_name(temporary, path)) continue;
    const std::string copy = text(temporary, "-copy");  // a file system without hard links
    if (!write_file(copy, bytes) || std::rename(copy.c_str(), path.c_str()) != 0) {
      unlink(copy.c_str());
      return false;
    }
  }
  return true;
}

SINTER_INLINE bool DiskCache::store(const CacheEntry& entry) {
  if (const std::string reason = why_unusable(); !reason.empty()) {
    detail::warn_not_cached(directory_, reason);
    return false;
  }
  static auto& count = *new std::atomic<unsigned>(0);
  const std::string temporary =
      text(directory_, "/", detail::writing_prefix, getpid(), "-", ++count);
  errno = 0;
  const bool done = publish(entry, temporary);
  const int error = errno;
  unlink(temporary.c_str());
  if (!done) {
    detail::warn_not_cached(directory_, std::strerror(error));
    return false;
  }
  const std::uint64_t before = stored_.fetch_add(entry.payload.size() + 1);
  if (before == 0 ||
      before > capacity_ / 16) {  // listing the directory is too slow for every store
    stored_ = 1;
    trim();
  }
  return true;
}

SINTER_INLINE DiskCache::Usage DiskCache::usage() const {
  Usage result;
  for (const detail::CachedFile& file : detail::cached_files(directory_)) {
    ++result.keys;
    result.bytes += file.bytes;
    struct statx info {};  // load() sets the time of the last change, and nothing that of the birth
    const bool known = statx(AT_FDCWD, file.path.c_str(), 0, STATX_BTIME, &info) == 0 &&
                       (info.stx_mask & STATX_BTIME) != 0;
    const std::int64_t born = info.stx_btime.tv_sec * 1'000'000'000 + info.stx_btime.tv_nsec;
    if (known && file.time - born >= 1'000'000'000) ++result.loaded;
  }
  return result;
}

SINTER_INLINE void DiskCache::trim() const {
  Vector<detail::CachedFile> files = detail::cached_files(directory_);
  std::uint64_t total = 0;
  for (const auto& file : files) total += file.bytes;
  if (total <= capacity_) return;
  stable_sort(files, [](const auto& a, const auto& b) { return a.time < b.time; });
  for (const auto& file : files) {
    if (total <= capacity_) break;
    if (unlink(file.path.c_str()) == 0) total -= file.bytes;
  }
}

SINTER_INLINE std::uint64_t default_cache_capacity() {
  constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;
  const std::string_view chosen = env(Env::cache_limit);
  std::uint32_t count = 0;
  const auto [end, error] = std::from_chars(chosen.data(), chosen.data() + chosen.size(), count);
  const bool is_number = error == std::errc() && end == chosen.data() + chosen.size();
  if (is_number) return count * mebibyte;
  if (!chosen.empty())
    warn(text("SINTER_CACHE_LIMIT=", chosen, " is not a number of MiB; using 1024"));
  return 1024 * mebibyte;
}

SINTER_INLINE std::string default_cache_directory() {
  if (const std::string_view chosen = env(Env::cache_dir); !chosen.empty()) {
    return std::string(chosen);
  }
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return text(cache, "/sinter");
  const char* const home = std::getenv("HOME");
  return home == nullptr || *home == '\0' ? "" : text(home, "/.cache/sinter");
}

}  // namespace sinter::inline SINTER_ABI::detail::compiler
