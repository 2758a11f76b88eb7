#pragma once
// The environment of a compiled kernel, and whether this machine can run it.

#include <cstdint>      // std::int64_t
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// What load_cache() found in a file.
struct CacheContents {
  std::int64_t usable = 0;             ///< Kernels that run here; they are available now.
  std::int64_t unusable = 0;           ///< Kernels that do not; save_cache() keeps them.
  std::vector<std::string> reasons{};  ///< "3 kernels need avx512f, which this machine lacks"
};

namespace compiler {

struct TranslationUnit;

/// The machine line of a C++ environment: all instruction sets of this machine, or `architecture`,
/// an -march value, which is the same on every machine.
std::string host_machine_line(std::string_view architecture);

/// Why kernels of `environment` do not run here: "need avx512f, which this machine lacks"; "" if
/// they run.
std::string unfit_reason(std::string_view environment);

/// `environment`, whose kernels run here, with the machine line of this machine.
std::string environment_here(std::string_view environment);

namespace detail {

// The last line of an environment names the compiler; kernels in files have no such line.
inline constexpr std::string_view compiler_line = "\ncompiler ";

/// The environment of `unit` without the compiler line: what its kernels depend on besides their
/// keys.
std::string machine_of(const TranslationUnit& unit);

}  // namespace detail

}  // namespace compiler

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/compile/cache/environment.ipp>
#endif
