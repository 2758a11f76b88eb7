#pragma once
// The kernels that this process has, shared by all of its threads.

#include <condition_variable>  // std::condition_variable
#include <cstddef>             // std::size_t
#include <memory>              // std::shared_ptr
#include <mutex>               // std::mutex
#include <optional>            // std::optional
#include <string>              // std::string
#include <unordered_map>       // std::unordered_map
#include <unordered_set>       // std::unordered_set
#include <vector>              // std::vector

#include <sinter/compile/cache/disk.hpp>
#include <sinter/compile/unit/module.hpp>
#include <sinter/compile/unit/translation_unit.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

/// The hash of a kernel's key and of what else decides about it; the key in a KernelStore.
inline Hash full_key(std::string_view environment, const Hash& key) {
  return Hasher().add(environment).add(key).result();
}

/// The payload of an entry: the names of the functions, one per key, then what the compiler wrote.
std::string to_payload(const std::vector<Member>& members, std::string_view bytes);

/// Kernels by their full key. Safe across threads, and in the child of a fork.
class KernelStore {
 public:
  template <class Value>
  using ByHash = std::unordered_map<Hash, Value, HashOfHash>;

  /// What is there, as one value, so that tests can put it aside.
  struct Content {
    ByHash<LoadedKernel> loaded{};
    ByHash<std::shared_ptr<const CacheEntry>> imported{};  ///< See import().
    ByHash<std::shared_ptr<const CacheEntry>> records{};     ///< See add_record().
    std::vector<std::shared_ptr<const CacheEntry>> entries{};
    std::vector<std::shared_ptr<const CacheEntry>> from_files{};  ///< All that was imported.
    std::string directory{};  ///< Of the disk cache; "" is the default.
  };

  /// The one of this process.
  static KernelStore& instance();

  /// The numbers of those keys that nobody has loaded and nobody is loading: now the caller is, and
  /// has to release them, done or not.
  std::vector<std::size_t> claim(const std::vector<Hash>& keys);
  void release(const std::vector<Hash>& keys, const std::vector<std::size_t>& claimed);

  bool contains(const Hash& key);
  /// The kernels, when nobody is loading them any more; nothing if one of them is not there.
  std::optional<std::vector<LoadedKernel>> wait_for(const std::vector<Hash>& keys);

  /// Loads the kernels of `entry`; false if it does not hold what it says. InternalError if it is
  /// nothing that the system loads.
  bool add(std::shared_ptr<const CacheEntry> entry, Language language);

  /// Keeps `entry` in reserve under an environment that does not name a compiler.
  void import(std::shared_ptr<const CacheEntry> entry, std::string_view environment);
  std::shared_ptr<const CacheEntry> imported(const Hash& key);

  /// Keeps `entry`, which holds something else than kernels, by the full keys of its keys.
  void add_record(std::shared_ptr<const CacheEntry> entry);
  std::shared_ptr<const CacheEntry> record(const Hash& key);

  /// All that was added or imported, each once.
  std::vector<std::shared_ptr<const CacheEntry>> entries();
  /// Forgets what was added.
  void forget();
  /// Puts `content` in the place of what is there.
  Content exchange(Content content);

  std::shared_ptr<DiskCache> disk();
  std::string set_directory(std::string directory);

  void count(const CompileStats& work);
  CompileStats total();

 private:
  std::mutex mutex_{};
  std::condition_variable changed_{};
  std::unordered_set<Hash, HashOfHash> in_flight_{};
  Content content_{};
  std::shared_ptr<DiskCache> disk_{};
  CompileStats total_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::compiler

#ifdef SINTER_DEFINITIONS
#include <sinter/compile/cache/kernel_store.ipp>
#endif
