#pragma once
// Which C++ compiler this machine has: found on PATH, asked once, and remembered on disk.

#include <memory>    // std::shared_ptr
#include <optional>  // std::optional
#include <string>    // std::string
#include <vector>    // std::vector

#include <sinter/compile/cache/disk.hpp>
#include <sinter/compile/host/probe.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

/// What `cache` knows of the compiler, if that is still the same file, else probe(path, arguments).
std::optional<HostCompiler> probe(const std::string& path, DiskCache& cache,
                                  const std::vector<std::string>& arguments = {});

/// SINTER_CXX, or the first of c++, g++ and clang++ on PATH; null if there is none. Found once for
/// each value of these variables; `cache` spares the next process from asking the compiler.
std::shared_ptr<const HostCompiler> host_compiler(DiskCache& cache);

/// Why host_compiler() is null: where it looked.
std::string host_compiler_missing();

}  // namespace sinter::inline SINTER_ABI::detail::compiler

#ifdef SINTER_DEFINITIONS
#include <sinter/compile/cache/compiler_search.ipp>
#endif
