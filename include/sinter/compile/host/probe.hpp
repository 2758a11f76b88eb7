#pragma once
// Asking a C++ compiler who it is, and which programs it would start.

#include <optional>     // std::optional
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

/// A C++ compiler, g++ or clang++.
struct HostCompiler {
  std::string path{};
  std::vector<std::string> arguments{};  ///< That come first: "g++", where the path is of ccache.
  std::string identity{};                ///< Version and target, for keys and for people.
  bool clang = false;
  /// The programs that g++ starts, with their arguments for this machine. Started directly they
  /// take three quarters of the time; empty where g++ did not tell.
  std::vector<std::string> translate{}, assemble{}, link{};
};

/// The kind of this machine, and the names of those of its instruction sets that compilers use of
/// their own accord: "x86_64 sse3 avx avx2". It is the same for all processors with these.
const std::string& host_architecture();

/// The words of a command line that g++ printed under -###: quotes and backslashes removed.
std::vector<std::string> split_command(std::string_view line);

/// What the output of `path -###` says.
HostCompiler parse_probe(const std::string& path, std::string_view output);

/// Asks the compiler; nothing if it does not answer.
std::optional<HostCompiler> probe(const std::string& path,
                                  const std::vector<std::string>& arguments = {});

namespace detail {
std::vector<std::string> split_lines(std::string_view text);
}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::compiler

#ifdef SINTER_DEFINITIONS
#include <sinter/compile/host/probe.ipp>
#endif
