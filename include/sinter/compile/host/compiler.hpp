#pragma once
// What a C++ compiler makes of texts: its flags, and the shared object.

#include <cstdint>      // std::int64_t
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/compile/host/probe.hpp>
#include <sinter/compile/unit/translation_unit.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

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
#include <sinter/compile/host/compiler.ipp>
#endif
