#pragma once
// What a kernel that was compiled elsewhere needs of a machine.

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

/// The line of an environment that says which machine C++ is compiled for: with all instructions of
/// this one, or for `architecture`, which -march takes, and then the same on every machine.
std::string host_machine_line(std::string_view architecture);

/// Why kernels of `environment` do not run here: "need avx512f, which this machine lacks"; "" if
/// they do.
std::string unfit_reason(std::string_view environment);

/// `environment`, whose kernels run here, as this machine words it.
std::string environment_here(std::string_view environment);

namespace detail {

// The compiler is the last line of an environment: kernels in files go without it.
inline constexpr std::string_view compiler_line = "\ncompiler ";

/// What decides, besides its key, how a kernel of `unit` is compiled, but for the compiler.
std::string machine_of(const TranslationUnit& unit);

}  // namespace detail

}  // namespace compiler

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/compile/cache/environment.ipp>
#endif
