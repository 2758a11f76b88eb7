#pragma once

#include <pthread.h>  // pthread_atfork

#include <algorithm>  // std::for_each, std::reverse
#include <new>        // placement new

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/verify.hpp>
#include <sinter/compile/cache/kernel_store.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

namespace detail {

// Removes the names of the functions from `payload` and returns them.
SINTER_INLINE Optional<std::vector<std::string>> take_symbols(std::string_view& payload,
                                                              std::size_t count) {
  std::vector<std::string> symbols;
  while (symbols.size() < count) {
    const std::size_t end = payload.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    symbols.emplace_back(payload.substr(0, end));
    payload.remove_prefix(end + 1);
  }
  return symbols;
}

}  // namespace detail

SINTER_INLINE std::string to_payload(const Vector<Member>& members, std::string_view bytes) {
  std::string result;
  for (const Member& member : members) result += member.symbol + '\n';
  return result.append(bytes);
}

SINTER_INLINE KernelStore& KernelStore::instance() {
  static auto& store = *new KernelStore;
  // In a forked child, the loads in flight of the parent's threads never finish.
  [[maybe_unused]] static const int registered =
      pthread_atfork([] { store.mutex_.lock(); }, [] { store.mutex_.unlock(); },
                     [] {
                       store.in_flight_.clear();
                       new (&store.changed_) std::condition_variable;
                       store.mutex_.unlock();
                     });
  return store;
}

SINTER_INLINE Vector<std::size_t> KernelStore::claim(const Vector<Hash>& keys) {
  const std::lock_guard lock(mutex_);
  Vector<std::size_t> result;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (content_.loaded.count(keys[i]) != 0) continue;
    if (in_flight_.insert(keys[i]).second) result.push_back(i);
  }
  return result;
}

SINTER_INLINE void KernelStore::release(const Vector<Hash>& keys,
                                        const Vector<std::size_t>& claimed) {
  const std::lock_guard lock(mutex_);
  for (const std::size_t index : claimed) in_flight_.erase(keys[index]);
  changed_.notify_all();
}

SINTER_INLINE bool KernelStore::contains(const Hash& key) {
  const std::lock_guard lock(mutex_);
  return content_.loaded.count(key) != 0;
}

SINTER_INLINE Optional<Vector<LoadedKernel>> KernelStore::wait_for(const Vector<Hash>& keys) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] {
    return none_of(keys, [&](const Hash& key) { return in_flight_.count(key) != 0; });
  });
  Vector<LoadedKernel> result;
  for (const Hash& key : keys) {
    const auto found = content_.loaded.find(key);
    if (found == content_.loaded.end()) return std::nullopt;
    result.push_back(found->second);
  }
  return result;
}

SINTER_INLINE bool KernelStore::add(SharedPtr<const CacheEntry> entry, Language language) {
  std::string_view payload = entry->payload;
  const auto symbols = detail::take_symbols(payload, entry->keys.size());
  if (!symbols) return false;
  const auto binary = Binary::load(language, std::string(payload));
  Vector<LoadedKernel> found;
  for (const std::string& symbol : *symbols) {
    found.push_back({binary, symbol, binary->symbol(symbol)});
    if (language == Language::cpp && found.back().function == nullptr) return false;
  }
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < found.size(); ++i) {
    content_.loaded.emplace(full_key(entry->environment, entry->keys[i]), found[i]);
  }
  content_.entries.push_back(std::move(entry));
  return true;
}

SINTER_INLINE void KernelStore::import(SharedPtr<const CacheEntry> entry,
                                       std::string_view environment) {
  const std::lock_guard lock(mutex_);
  for (const Hash& key : entry->keys) content_.imported[full_key(environment, key)] = entry;
  content_.from_files.push_back(std::move(entry));
}

SINTER_INLINE SharedPtr<const CacheEntry> KernelStore::imported(const Hash& key) {
  const std::lock_guard lock(mutex_);
  const auto found = content_.imported.find(key);
  return found == content_.imported.end() ? nullptr : found->second;
}

SINTER_INLINE void KernelStore::add_record(SharedPtr<const CacheEntry> entry) {
  const std::lock_guard lock(mutex_);
  for (const Hash& key : entry->keys) content_.records[full_key(entry->environment, key)] = entry;
  content_.entries.push_back(std::move(entry));
}

SINTER_INLINE SharedPtr<const CacheEntry> KernelStore::record(const Hash& key) {
  const std::lock_guard lock(mutex_);
  const auto found = content_.records.find(key);
  return found == content_.records.end() ? nullptr : found->second;
}

SINTER_INLINE Vector<SharedPtr<const CacheEntry>> KernelStore::entries() {
  const std::lock_guard lock(mutex_);
  Vector<SharedPtr<const CacheEntry>> result;
  HashSet<Hash, HashOfHash> known;
  const auto add_new = [&](const SharedPtr<const CacheEntry>& entry) {
    Hasher hasher;
    hasher.add(entry->environment);
    for (const Hash& key : entry->keys) hasher.add(key);
    if (known.insert(hasher.result()).second) result.push_back(entry);
  };
  // The last entry wins: a record may have been added several times.
  for (std::size_t i = content_.entries.size(); i-- > 0;) add_new(content_.entries[i]);
  for (std::size_t i = content_.from_files.size(); i-- > 0;) add_new(content_.from_files[i]);
  std::reverse(result.begin(), result.end());
  return result;
}

SINTER_INLINE void KernelStore::forget() {
  const std::lock_guard lock(mutex_);
  content_.loaded.clear();
  content_.records.clear();
  content_.entries.clear();
}

SINTER_INLINE KernelStore::Content KernelStore::exchange(Content content) {
  const std::lock_guard lock(mutex_);
  std::swap(content_, content);
  return content;
}

SINTER_INLINE SharedPtr<DiskCache> KernelStore::disk() {
  const std::lock_guard lock(mutex_);
  const std::string directory =
      content_.directory.empty() ? default_cache_directory() : content_.directory;
  if (disk_ == nullptr || disk_->directory() != directory) {
    disk_ = make_shared_ptr<DiskCache>(directory, default_cache_capacity());
  }
  return disk_;
}

SINTER_INLINE std::string KernelStore::set_directory(std::string directory) {
  const std::lock_guard lock(mutex_);
  std::swap(content_.directory, directory);
  return directory;
}

SINTER_INLINE void KernelStore::count(const CompileStats& work) {
  const std::lock_guard lock(mutex_);
  total_.compiler_runs += work.compiler_runs;
  total_.kernels_compiled += work.kernels_compiled;
  total_.disk_hits += work.disk_hits;
  total_.seconds += work.seconds;
}

SINTER_INLINE CompileStats KernelStore::total() {
  const std::lock_guard lock(mutex_);
  return total_;
}

}  // namespace sinter::inline SINTER_ABI::detail::compiler
