#pragma once
// Probes a C++ compiler: its identity, and the programs that it would start.

#include <string>       // std::string
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/base/container/optional.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

/// A C++ compiler, g++ or clang++.
struct HostCompiler {
  std::string path{};
  std::vector<std::string> arguments{};  ///< First arguments: "g++" if the path is that of ccache.
  std::string identity{};                ///< Version and target, for cache keys and messages.
  bool clang = false;
  /// The programs that g++ starts, with their arguments for this machine. Starting them directly
  /// takes three quarters of the time. Empty if g++ does not print them.
  std::vector<std::string> translate{}, assemble{}, link{};
};

/// The architecture of this machine and its instruction sets that -march=native uses: "x86_64 sse3
/// avx avx2". Processors with the same instruction sets have the same text.
const std::string& host_architecture();

/// Splits a command line that g++ printed for -###; removes quotes and backslashes.
std::vector<std::string> split_command(std::string_view line);

/// Parses the output of `path -###`.
HostCompiler parse_probe(const std::string& path, std::string_view output);

/// Probes the compiler; nullopt if it does not answer.
Optional<HostCompiler> probe(const std::string& path,
                             const std::vector<std::string>& arguments = {});

namespace detail {
std::vector<std::string> split_lines(std::string_view text);
}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::compiler

#ifdef SINTER_DEFINITIONS
#include <sinter/compile/host/probe.ipp>
#endif
