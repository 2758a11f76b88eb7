#pragma once
// The disk cache of compiled kernels: a directory that many processes read and write concurrently.

#include <atomic>       // std::atomic
#include <cstdint>      // std::uint64_t
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/hash.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

/// An entry of the disk cache, found by each of its keys.
struct CacheEntry {
  std::string environment{};  ///< What the keys leave out: compiler, flags, machine, version.
  Vector<Hash> keys{};
  std::string payload{};
};

/// The bytes of a file that holds `entry`.
std::string serialize(const CacheEntry& entry);

/// The entry in `bytes`; nullopt if they are truncated, corrupted, or of another version.
Optional<CacheEntry> deserialize(std::string_view bytes);

/// A directory of entries. Nothing here throws: an unreadable entry counts as missing, and a failed
/// write is skipped, with one warning per process.
class DiskCache {
 public:
  /// `directory` is created by the first store().
  explicit DiskCache(std::string directory, std::uint64_t capacity = std::uint64_t{1} << 30);

  const std::string& directory() const { return directory_; }

  /// The entry with this key, if its checksum is right, it was stored under the same environment,
  /// and only this user or root can have written it: the directory holds code.
  Optional<CacheEntry> load(std::string_view environment, const Hash& key) const;

  /// Stores `entry` under all of its keys, replacing older entries; false if that failed.
  bool store(const CacheEntry& entry);

  /// Why nothing can be stored in the directory, which is created if it is missing: it belongs to
  /// another user, other users can write to it, ...; "" if entries can be stored.
  std::string why_unusable() const;

  /// The number of keys that have an entry, kernels among them, and the bytes of all entries.
  struct Usage {
    std::uint64_t keys = 0, bytes = 0;
    std::uint64_t loaded =
        0;  ///< Keys whose entry was loaded a second or more after it was stored.
  };
  Usage usage() const;
  std::uint64_t capacity() const { return capacity_; }

  /// Removes the least recently used entries until the rest fits the capacity, and abandoned files.
  void trim() const;

 private:
  std::string path_of(std::string_view environment, const Hash& key) const;
  bool publish(const CacheEntry& entry, const std::string& temporary) const;

  std::string directory_;
  std::uint64_t capacity_;
  std::atomic<std::uint64_t> stored_ = 0;  // since the last trim
};

/// SINTER_CACHE_LIMIT in bytes, else 1 GiB.
std::uint64_t default_cache_capacity();

/// SINTER_CACHE_DIR, else XDG_CACHE_HOME/sinter, else ~/.cache/sinter; "" if none is set.
std::string default_cache_directory();

}  // namespace sinter::inline SINTER_ABI::detail::compiler

#ifdef SINTER_DEFINITIONS
#include <sinter/compile/cache/disk_cache.ipp>
#endif
