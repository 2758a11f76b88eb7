#pragma once
// The C++ compiler of this machine: which one it is, and what it makes of a text.

#include <cstdint>      // std::int64_t
#include <memory>       // std::shared_ptr
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/compile/disk_cache.hpp>
#include <sinter/compile/host_probe.hpp>
#include <sinter/compile/translation_unit.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

/// SINTER_CXX, or the first of c++, g++ and clang++ on PATH; null if there is none. Found once for
/// each value of these variables; `cache` spares the next process from asking the compiler.
std::shared_ptr<const HostCompiler> host_compiler(DiskCache& cache);

/// Why host_compiler() is null: where it looked.
std::string host_compiler_missing();

/// The flags for `unit`, the same for every text of its kind.
std::vector<std::string> host_flags(const HostCompiler& compiler, const TranslationUnit& unit);

/// The shared object that `compiler` makes of `texts`, all at the same time. InternalError with how
/// the compiler ended, its log and the path of the texts, which are then kept, if it makes none;
/// one that takes longer than `milliseconds` is killed. IoError if there is no place for temporary
/// files.
std::string compile_host(const HostCompiler& compiler, const TranslationUnit& unit,
                         const std::vector<std::string_view>& texts,
                         std::int64_t milliseconds = 600'000);

/// The same for one text.
std::string compile_host(const HostCompiler& compiler, const TranslationUnit& unit,
                         std::string_view text, std::int64_t milliseconds = 600'000);

}  // namespace sinter::inline SINTER_ABI::detail::compiler

#ifdef SINTER_DEFINITIONS
#include <sinter/compile/host_compiler.ipp>
#include <sinter/compile/host_compiler_find.ipp>
#endif
