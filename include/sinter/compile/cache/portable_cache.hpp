#pragma once
// save_cache and load_cache: compiled kernels in one portable file.

#include <string>  // std::string

#include <sinter/base/where.hpp>
#include <sinter/compile/cache/environment.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

/// Writes all kernels that this process has loaded, the contents of files read by load_cache(), and
/// records of tuning and varying sizes, into one file. Throws IoError if that fails.
void save_cache(const std::string& path, Where where = Where::current());

/// Makes the kernels of such a file available, with or without a compiler. Reports kernels that do
/// not run on this machine; save_cache() keeps them. Throws IoError if the file cannot be read or
/// is damaged.
CacheContents load_cache(const std::string& path, Where where = Where::current());

}  // namespace sinter::inline SINTER_ABI::detail::compiler

#ifdef SINTER_DEFINITIONS
#include <sinter/compile/cache/portable_cache.ipp>
#endif
