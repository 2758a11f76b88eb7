#pragma once
// Finds the C++ compiler of this machine on PATH, probes it once, and caches the result on disk.

#include <string>       // std::string
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/compile/cache/disk_cache.hpp>
#include <sinter/compile/host/probe.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

/// The cached probe of the compiler, if its file has not changed, else probe(path, arguments).
Optional<HostCompiler> probe(const std::string& path, DiskCache& cache,
                             const std::vector<std::string>& arguments = {});

/// SINTER_CXX, or the first of c++, g++ and clang++ on PATH; null if there is none. The search runs
/// again only if these variables change; later processes take the probe from `cache`.
SharedPtr<const HostCompiler> host_compiler(DiskCache& cache);

/// What host_compiler() tries, in this order: each a program and its first arguments. SINTER_CXX
/// may be a path with spaces, or a command such as "ccache g++".
std::vector<std::vector<std::string>> compiler_candidates();

/// The file that a shell would run for `name`; "" if none.
std::string find_program(std::string_view name);

/// Why host_compiler() is null, with the places searched.
std::string host_compiler_missing();

}  // namespace sinter::inline SINTER_ABI::detail::compiler

#ifdef SINTER_DEFINITIONS
#include <sinter/compile/cache/compiler_search.ipp>
#endif
