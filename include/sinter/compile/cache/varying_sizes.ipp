#pragma once

#include <elf.h>   // NT_GNU_BUILD_ID
#include <link.h>  // dl_iterate_phdr
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>  // std::unique
#include <atomic>     // std::atomic
#include <cstddef>    // std::ptrdiff_t
#include <cstring>    // std::memcpy

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/text.hpp>
#include <sinter/compile/cache/kernel_store.hpp>
#include <sinter/compile/cache/varying_sizes.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

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

// The linker's build id of this program, the same in all copies of the file; "" if none.
SINTER_INLINE std::string build_id() {
  std::string result;
  const auto visit = [](dl_phdr_info* program, std::size_t, void* id) {
    for (int i = 0; i < program->dlpi_phnum; ++i) {
      const auto& part = program->dlpi_phdr[i];
      if (part.p_type != PT_NOTE) continue;
      const char* at = reinterpret_cast<const char*>(program->dlpi_addr + part.p_vaddr);
      const char* const end = at + part.p_memsz;
      while (end - at >= static_cast<std::ptrdiff_t>(3 * sizeof(std::uint32_t))) {
        std::uint32_t sizes[3];  // of the name, of the content, and the type
        std::memcpy(sizes, at, sizeof(sizes));
        const char* const content = at + sizeof(sizes) + (sizes[0] + 3) / 4 * 4;
        if (sizes[2] == NT_GNU_BUILD_ID && content + sizes[1] <= end) {
          static_cast<std::string*>(id)->assign(content, sizes[1]);
          return 1;
        }
        at = content + (sizes[1] + 3) / 4 * 4;
      }
    }
    return 1;  // the first object is the program itself
  };
  dl_iterate_phdr(visit, &result);
  return result;
}

// Identifies this program: by its build id, else by the path, size and time of its file.
SINTER_INLINE Hash hash_of_program() {
  Hasher hasher;
  const std::string id = build_id();
  if (!id.empty()) return hasher.add(std::string_view(id)).result();
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

SINTER_INLINE void add_sizes(Vector<VaryingSize>& sizes, const CacheEntry& entry) {
  if (entry.payload.size() % sizeof(VaryingSize) != 0 || entry.payload.empty()) return;
  const std::size_t known = sizes.size();
  sizes.resize(known + entry.payload.size() / sizeof(VaryingSize));
  std::memcpy(sizes.data() + known, entry.payload.data(), entry.payload.size());
}

}  // namespace detail

SINTER_INLINE Hash function_key(Where where, std::string_view name,
                                Span<const std::string> leaves) {
  static const Hash program = detail::hash_of_program();
  Hasher hasher;
  hasher.add(program);
  hasher.add(detail::file_of(where)).add(where.line()).add(where.column()).add(name);
  for (const std::string& leaf : leaves) hasher.add(std::string_view(leaf));
  return hasher.result();
}

SINTER_INLINE Vector<VaryingSize> known_varying(const Hash& function) {
  Vector<VaryingSize> result;
  if (!detail::varying_is_kept()) return result;
  KernelStore& store = KernelStore::instance();
  if (auto stored = store.disk()->load(detail::varying_environment(), function)) {
    detail::add_sizes(result, *stored);
    store.add_record(make_shared_ptr<const CacheEntry>(std::move(*stored)));  // for save_cache()
  }
  const auto imported = store.imported(full_key(detail::varying_environment(), function));
  if (imported != nullptr) detail::add_sizes(result, *imported);
  stable_sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

SINTER_INLINE void remember_varying(const Hash& function, Span<const VaryingSize> sizes) {
  if (!detail::varying_is_kept()) return;
  const Vector<VaryingSize> known = known_varying(function);
  Vector<VaryingSize> all = known;
  all.insert(all.end(), sizes.begin(), sizes.end());
  stable_sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  if (all == known) return;
  CacheEntry entry{.environment = detail::varying_environment(), .keys = {function}};
  entry.payload.resize(all.size() * sizeof(VaryingSize));
  std::memcpy(entry.payload.data(), all.data(), entry.payload.size());
  const auto shared = make_shared_ptr<const CacheEntry>(std::move(entry));
  KernelStore::instance().add_record(shared);
  KernelStore::instance().disk()->store(*shared);
}

SINTER_INLINE bool keep_varying(bool keep) { return detail::varying_is_kept().exchange(keep); }

}  // namespace sinter::inline SINTER_ABI::detail::compiler
