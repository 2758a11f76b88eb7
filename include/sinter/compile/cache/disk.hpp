#pragma once
// The compiled kernels on disk: one directory, read and written by many processes at once.

#include <atomic>       // std::atomic
#include <cstdint>      // std::uint64_t
#include <optional>     // std::optional
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/base/hash.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

/// Something to keep, found again by each of its keys.
struct CacheEntry {
  std::string environment{};  ///< What the keys do not say: compiler, flags, machine, version.
  std::vector<Hash> keys{};
  std::string payload{};
};

/// The bytes of a file that holds `entry`.
std::string serialize(const CacheEntry& entry);

/// The entry in `bytes`; nothing if they are truncated, changed, or of another version.
std::optional<CacheEntry> deserialize(std::string_view bytes);

/// A directory of entries. Nothing here throws: what cannot be read is not there, and what cannot
/// be written is left out, which is said once per process.
class DiskCache {
 public:
  /// `directory` is made when something is stored.
  explicit DiskCache(std::string directory, std::uint64_t capacity = std::uint64_t{1} << 30);

  const std::string& directory() const { return directory_; }

  /// The entry with this key, if it is whole, was stored under the same environment, and belongs to
  /// this user: the directory holds code.
  std::optional<CacheEntry> load(std::string_view environment, const Hash& key) const;

  /// Stores `entry` under all of its keys, in the place of what was there; false if that failed.
  bool store(const CacheEntry& entry);

  /// Removes the oldest entries until the rest fits the capacity, and files whose writer died.
  void trim() const;

 private:
  std::string path_of(std::string_view environment, const Hash& key) const;
  bool usable() const;
  bool publish(const CacheEntry& entry, const std::string& temporary) const;

  std::string directory_;
  std::uint64_t capacity_;
  std::atomic<std::uint64_t> stored_ = 0;  // since the last trim
};

/// SINTER_CACHE_LIMIT in bytes, else 1 GiB.
std::uint64_t default_cache_capacity();

/// SINTER_CACHE_DIR, else XDG_CACHE_HOME/sinter, else ~/.cache/sinter; "" if there is none of them.
std::string default_cache_directory();

}  // namespace sinter::inline SINTER_ABI::detail::compiler

#ifdef SINTER_DEFINITIONS
#include <sinter/compile/cache/disk.ipp>
#endif
