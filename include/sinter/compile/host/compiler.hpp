#pragma once
// Compiles C++ texts to a shared object.

#include <cstdint>      // std::int64_t
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/base/container/vector.hpp>
#include <sinter/compile/host/probe.hpp>
#include <sinter/compile/unit/translation_unit.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

/// The compiler flags for `unit`.
std::vector<std::string> host_flags(const HostCompiler& compiler, const TranslationUnit& unit);

/// Compiles `texts` in parallel into one shared object. If that fails, throws InternalError with
/// the compiler's status, its log, and the path of the texts, which are kept. A compiler that takes
/// longer than `milliseconds` is killed. IoError if temporary files cannot be written.
std::string compile_host(const HostCompiler& compiler, const TranslationUnit& unit,
                         const Vector<std::string_view>& texts,
                         std::int64_t milliseconds = 600'000);

/// The same for one text.
std::string compile_host(const HostCompiler& compiler, const TranslationUnit& unit,
                         std::string_view text, std::int64_t milliseconds = 600'000);

}  // namespace sinter::inline SINTER_ABI::detail::compiler

#ifdef SINTER_DEFINITIONS
#include <sinter/compile/host/compiler.ipp>
#endif
