#pragma once
// Kernels in one file: written, and read where they fit.

#include <fcntl.h>  // open

#include <cerrno>   // errno
#include <cstdio>   // std::rename
#include <cstring>  // std::strerror, std::memcpy
#include <map>      // std::map

#include <sinter/base/error.hpp>
#include <sinter/base/log.hpp>
#include <sinter/compile/cache.hpp>
#include <sinter/compile/environment.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

namespace detail {

// The entries of a file one after the other, each behind its length.
SINTER_INLINE std::vector<std::shared_ptr<const Entry>> split_entries(std::string_view bytes) {
  std::vector<std::shared_ptr<const Entry>> result;
  while (bytes.size() >= 8) {
    std::uint64_t size = 0;
    std::memcpy(&size, bytes.data(), sizeof(size));
    bytes.remove_prefix(sizeof(size));
    auto entry = size <= bytes.size() ? deserialize(bytes.substr(0, size)) : std::nullopt;
    if (!entry) return {};
    result.push_back(std::make_shared<const Entry>(std::move(*entry)));
    bytes.remove_prefix(size);
  }
  return bytes.empty() ? result : std::vector<std::shared_ptr<const Entry>>{};
}

// Notes, as which sizes varied, say nothing of a machine, or the exact one.
SINTER_INLINE bool holds_kernels(const Entry& entry) {
  return entry.environment.substr(0, 7) == "sinter " &&
         entry.environment.find("\nmachine ") != std::string::npos;
}

SINTER_INLINE CacheContents import_all(const std::vector<std::shared_ptr<const Entry>>& entries,
                                       std::string_view fingerprint) {
  CacheContents result;
  std::map<std::string, std::int64_t> unfit;
  for (const auto& entry : entries) {
    const std::string_view all = entry->environment;
    const std::string machine(all.substr(0, all.rfind(compiler_line)));
    const auto kernels = static_cast<std::int64_t>(entry->keys.size());
    const bool counts = holds_kernels(*entry);
    const std::string reason = counts ? unfit_reason(machine, fingerprint) : "";
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
    const std::uint64_t size = content.size();
    bytes.append(reinterpret_cast<const char*>(&size), sizeof(size)).append(content);
  }
  const std::string temporary = text(path, ".writing");
  if (write_file(temporary, bytes) && std::rename(temporary.c_str(), path.c_str()) == 0) return;
  const std::string reason = std::strerror(errno);
  std::remove(temporary.c_str());
  throw IoError({.op = "save_cache",
                 .what = "the file cannot be written",
                 .facts = {{"file", path}, {"reason", reason}},
                 .rule = "save_cache writes the file, and a temporary one beside it",
                 .fix = "give a path in a directory of your own",
                 .where = where,
                 .see = "files"});
}

SINTER_INLINE CacheContents load_cache(const std::string& path, std::string_view fingerprint,
                                       Where where) {
  const File file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const int error = errno;
  const std::string bytes = file ? read_all(file).value_or("") : "";
  const auto entries = detail::split_entries(bytes);
  if (entries.empty() && (!file || !bytes.empty())) {
    throw IoError({.op = "load_cache",
                   .what = file ? "the file is damaged" : "the file cannot be read",
                   .facts = {{"file", path},
                             {"reason", file ? "it is none of save_cache" : std::strerror(error)}},
                   .rule = "load_cache reads what save_cache wrote",
                   .fix = "write it again, by save_cache on a machine of this kind",
                   .where = where,
                   .see = "files"});
  }
  return detail::import_all(entries, fingerprint);
}

}  // namespace sinter::inline SINTER_ABI::detail::compiler
