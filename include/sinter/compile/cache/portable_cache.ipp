#pragma once

#include <cstring>  // std::memcpy
#include <utility>  // std::pair
#include <vector>   // std::vector

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/sorted_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/file.hpp>
#include <sinter/base/log.hpp>
#include <sinter/base/text.hpp>
#include <sinter/compile/cache/disk_cache.hpp>
#include <sinter/compile/cache/environment.hpp>
#include <sinter/compile/cache/kernel_store.hpp>
#include <sinter/compile/cache/portable_cache.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

namespace detail {

// A file starts with these bytes and the number of bytes that follow, so that truncation is always
// detected.
inline constexpr std::string_view cache_magic = "sinter kernels 1\n";

using Entries = Vector<SharedPtr<const CacheEntry>>;

SINTER_INLINE std::string as_bytes(std::uint64_t number) {
  return {reinterpret_cast<const char*>(&number), sizeof(number)};
}

// The entries in `bytes`, each after its length; nullopt if one of them is damaged.
SINTER_INLINE Optional<Entries> split_entries(std::string_view bytes) {
  Entries result;
  while (!bytes.empty()) {
    std::uint64_t size = 0;
    if (bytes.size() < sizeof(size)) return std::nullopt;
    std::memcpy(&size, bytes.data(), sizeof(size));
    bytes.remove_prefix(sizeof(size));
    auto entry = size <= bytes.size() ? deserialize(bytes.substr(0, size)) : std::nullopt;
    if (!entry) return std::nullopt;
    result.push_back(make_shared_ptr<const CacheEntry>(std::move(*entry)));
    bytes.remove_prefix(size);
  }
  return result;
}

[[noreturn]] SINTER_INLINE void refuse_cache(
    const disk::InputFile& file, std::string what,
    std::vector<std::pair<std::string, std::string>> facts) {
  refuse(file.access(), {.what = std::move(what),
                         .facts = std::move(facts),
                         .rule = "load_cache reads what save_cache wrote",
                         .fix = "write it again with save_cache on a machine of this kind"});
}

SINTER_INLINE Entries read_entries(const disk::InputFile& file) {
  std::uint64_t size = 0;
  const std::uint64_t head = cache_magic.size() + sizeof(size);
  if (file.size() < head || file.read(0, cache_magic.size()) != cache_magic) {
    refuse_cache(file, "the file is not a kernel cache", {{"size", quantity(file.size(), "byte")}});
  }
  file.read(cache_magic.size(), &size, sizeof(size));
  if (size != file.size() - head) {
    refuse_cache(
        file, "the file is damaged: its size differs from its header",
        {{"size", quantity(file.size() - head, "byte")}, {"expected", quantity(size, "byte")}});
  }
  auto entries = split_entries(file.read(head, size));
  if (!entries) refuse_cache(file, "the file is damaged: a checksum does not match", {});
  return *std::move(entries);
}

// False for records: those of varying sizes name no machine, those of tuning an exact one.
SINTER_INLINE bool holds_kernels(const CacheEntry& entry) {
  return entry.environment.substr(0, 7) == "sinter " &&
         entry.environment.find("\nmachine ") != std::string::npos;
}

SINTER_INLINE CacheContents import_all(const Entries& entries) {
  CacheContents result;
  SortedMap<std::string, std::int64_t> unfit;
  for (const auto& entry : entries) {
    const std::string_view all = entry->environment;
    const std::string machine(all.substr(0, all.rfind(compiler_line)));
    const auto kernels = static_cast<std::int64_t>(entry->keys.size());
    const bool counts = holds_kernels(*entry);
    const std::string reason = counts ? unfit_reason(machine) : "";
    KernelStore::instance().import(entry, reason.empty() ? environment_here(machine) : machine);
    if (!reason.empty()) unfit[reason] += kernels;
    if (counts) (reason.empty() ? result.usable : result.unusable) += kernels;
  }
  for (const auto& [reason, kernels] : unfit) {
    result.reasons.push_back(
        text(quantity(static_cast<std::size_t>(kernels), "kernel"), " ", reason));
    log(Log::cache, text("load_cache: ", result.reasons.back()));
  }
  return result;
}

}  // namespace detail

SINTER_INLINE void save_cache(const std::string& path, Where where) {
  std::string bytes;
  for (const auto& entry : KernelStore::instance().entries()) {
    const std::string content = serialize(*entry);
    bytes.append(detail::as_bytes(content.size())).append(content);
  }
  disk::OutputFile file({"save_cache", path, where});
  file.write(detail::cache_magic);
  file.write(detail::as_bytes(bytes.size()));
  file.write(bytes);
  file.commit();
}

SINTER_INLINE CacheContents load_cache(const std::string& path, Where where) {
  const disk::InputFile file({"load_cache", path, where});
  return detail::import_all(detail::read_entries(file));
}

}  // namespace sinter::inline SINTER_ABI::detail::compiler
