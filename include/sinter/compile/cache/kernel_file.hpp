#pragma once
// Kernels in one file: written, and read where they fit the machine.

#include <string>  // std::string

#include <sinter/base/where.hpp>
#include <sinter/compile/cache/environment.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

/// Writes every kernel that this process has loaded, what was in files of load_cache(), and which
/// sizes varied, into one file. IoError if that fails.
void save_cache(const std::string& path, Where where = Where::current());

/// Makes the kernels of such a file available, also where there is no compiler. Says which do not
/// run on this machine; save_cache() writes them again. IoError if the file cannot be read or is
/// damaged.
CacheContents load_cache(const std::string& path, Where where = Where::current());

}  // namespace sinter::inline SINTER_ABI::detail::compiler

#ifdef SINTER_DEFINITIONS
#include <sinter/compile/cache/kernel_file.ipp>
#endif
