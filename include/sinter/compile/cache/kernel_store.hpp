#pragma once
// The in-memory cache of loaded kernels, shared by all threads of the process.

#include <condition_variable>  // std::condition_variable
#include <cstddef>             // std::size_t
#include <mutex>               // std::mutex
#include <string>              // std::string

#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/compile/cache/disk_cache.hpp>
#include <sinter/compile/unit/module.hpp>
#include <sinter/compile/unit/translation_unit.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

/// The key of a kernel in a KernelStore: the hash of its key and its environment.
inline Hash full_key(std::string_view environment, const Hash& key) {
  return Hasher().add(environment).add(key).result();
}

/// The payload of an entry: the names of the functions, one per key, then the compiler's output.
std::string to_payload(const Vector<Member>& members, std::string_view bytes);

/// Kernels by full key. Thread-safe, also in the child of a fork.
class KernelStore {
 public:
  template <class Value>
  using ByHash = HashMap<Hash, Value, HashOfHash>;

  /// The whole content as a value, so that tests can swap it.
  struct Content {
    ByHash<LoadedKernel> loaded{};
    ByHash<SharedPtr<const CacheEntry>> imported{};  ///< See import().
    ByHash<SharedPtr<const CacheEntry>> records{};   ///< See add_record().
    Vector<SharedPtr<const CacheEntry>> entries{};
    Vector<SharedPtr<const CacheEntry>> from_files{};  ///< All imported entries.
    std::string directory{};  ///< Of the disk cache; "" for the default.
  };

  /// The one of this process.
  static KernelStore& instance();

  /// Claims the keys that are neither loaded nor being loaded, and returns their indices. The
  /// caller has to load and release them, also after a failure.
  Vector<std::size_t> claim(const Vector<Hash>& keys);
  void release(const Vector<Hash>& keys, const Vector<std::size_t>& claimed);

  bool contains(const Hash& key);
  /// Waits until no other thread is loading these kernels; nullopt if one of them is missing.
  Optional<Vector<LoadedKernel>> wait_for(const Vector<Hash>& keys);

  /// Loads the kernels of `entry`; false if a function is missing. InternalError if the system
  /// cannot load it.
  bool add(SharedPtr<const CacheEntry> entry, Language language);

  /// Registers an entry of a file, under an environment without a compiler line.
  void import(SharedPtr<const CacheEntry> entry, std::string_view environment);
  SharedPtr<const CacheEntry> imported(const Hash& key);

  /// Adds an entry that is not a kernel (tuning, varying sizes), under its full keys.
  void add_record(SharedPtr<const CacheEntry> entry);
  SharedPtr<const CacheEntry> record(const Hash& key);

  /// All added or imported entries, without duplicates.
  Vector<SharedPtr<const CacheEntry>> entries();
  /// Removes what was added; imported entries stay.
  void forget();
  /// Replaces the content; returns the old one.
  Content exchange(Content content);

  SharedPtr<DiskCache> disk();
  std::string set_directory(std::string directory);

  void count(const CompileStats& work);
  CompileStats total();

 private:
  std::mutex mutex_{};
  std::condition_variable changed_{};
  HashSet<Hash, HashOfHash> in_flight_{};
  Content content_{};
  SharedPtr<DiskCache> disk_{};
  CompileStats total_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::compiler

#ifdef SINTER_DEFINITIONS
#include <sinter/compile/cache/kernel_store.ipp>
#endif
