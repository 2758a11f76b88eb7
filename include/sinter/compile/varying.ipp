#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>  // std::sort, std::unique
#include <atomic>     // std::atomic
#include <cstring>    // std::memcpy

#include <sinter/base/text.hpp>
#include <sinter/compile/kernel_store.hpp>
#include <sinter/compile/varying.hpp>

namespace sinter::inline SINTER_ABI::compiler {

namespace detail {

SINTER_INLINE std::atomic<bool>& varying_is_kept() {
  static auto& kept = *new std::atomic<bool>(true);
  return kept;
}

SINTER_INLINE std::string varying_environment() {
  return text("sinter ", SINTER_VERSION_MAJOR, ".", SINTER_VERSION_MINOR, ".", SINTER_VERSION_PATCH,
              "\nvarying sizes");
}

SINTER_INLINE std::string_view file_of(Where where) {
  const std::string_view path = where.file_name();
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// The file of this program: where it is, how long, and when it was written.
SINTER_INLINE Hash hash_of_program() {
  Hasher hasher;
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
  if (length > 0) hasher.add(std::string_view(path, static_cast<std::size_t>(length)));
  struct stat file {};
  if (stat("/proc/self/exe", &file) == 0) {
    hasher.add(static_cast<std::uint64_t>(file.st_size));
    hasher.add(static_cast<std::uint64_t>(file.st_mtim.tv_sec));
    hasher.add(static_cast<std::uint64_t>(file.st_mtim.tv_nsec));
  }
  return hasher.result();
}

}  // namespace detail

SINTER_INLINE Hash function_key(Where where, std::string_view name,
                                std::span<const std::string> leaves) {
  static const Hash program = detail::hash_of_program();
  Hasher hasher;
  hasher.add(program);
  hasher.add(detail::file_of(where)).add(where.line()).add(where.column()).add(name);
  for (const std::string& leaf : leaves) hasher.add(std::string_view(leaf));
  return hasher.result();
}

SINTER_INLINE std::vector<VaryingSize> known_varying(const Hash& function) {
  std::vector<VaryingSize> result;
  if (!detail::varying_is_kept()) return result;
  const auto entry = KernelStore::instance().disk()->load(detail::varying_environment(), function);
  if (!entry || entry->payload.size() % sizeof(VaryingSize) != 0) return result;
  result.resize(entry->payload.size() / sizeof(VaryingSize));
  if (!result.empty()) std::memcpy(result.data(), entry->payload.data(), entry->payload.size());
  return result;
}

SINTER_INLINE void remember_varying(const Hash& function, std::span<const VaryingSize> sizes) {
  if (!detail::varying_is_kept()) return;
  const std::vector<VaryingSize> known = known_varying(function);
  std::vector<VaryingSize> all = known;
  all.insert(all.end(), sizes.begin(), sizes.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  if (all == known) return;
  Entry entry{.environment = detail::varying_environment(), .keys = {function}};
  entry.payload.resize(all.size() * sizeof(VaryingSize));
  std::memcpy(entry.payload.data(), all.data(), entry.payload.size());
  KernelStore::instance().disk()->store(entry);
}

SINTER_INLINE bool keep_varying(bool keep) { return detail::varying_is_kept().exchange(keep); }

}  // namespace sinter::inline SINTER_ABI::compiler
