#pragma once
// What sinter says while it works: lines on standard error, chosen by SINTER_LOGS.

#include <array>        // std::array
#include <cstddef>      // std::size_t
#include <cstdint>      // std::uint8_t
#include <cstdio>       // std::fputs
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/base/env.hpp>
#include <sinter/base/text.hpp>

namespace sinter::inline SINTER_ABI {

/// The kinds of messages, named in SINTER_LOGS.
enum class Log : std::uint8_t {
  breaks,
  recompiles,
  perf,
  code,
  graph,
  guards,
  fusion,
  memory,
  cudagraph,
  cache,
  autotune
};

inline constexpr std::array<std::string_view, 11> log_names{
    "breaks", "recompiles", "perf",      "code",  "graph",   "guards",
    "fusion", "memory",     "cudagraph", "cache", "autotune"};

constexpr std::string_view to_string(Log kind) { return log_names[static_cast<std::size_t>(kind)]; }

/// True if `list`, as in SINTER_LOGS, names `kind`.
constexpr bool names(std::string_view list, Log kind) {
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    const std::string_view word = list.substr(0, comma);
    if (word == to_string(kind) || word == "all") return true;
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  }
  return false;
}

inline bool log_enabled(Log kind) { return names(env(Env::logs), kind); }

/// Writes a message that every user should see: once in full, on standard error.
inline void warn(std::string_view message) {
  const std::string line = text("sinter: ", message, "\n");
  std::fputs(line.c_str(), stderr);
}

/// Writes "sinter[fusion]: ..." if SINTER_LOGS names `kind`.
inline void log(Log kind, std::string_view message) {
  if (!log_enabled(kind)) return;
  const std::string line = text("sinter[", to_string(kind), "]: ", message, "\n");
  std::fputs(line.c_str(), stderr);
}

}  // namespace sinter::inline SINTER_ABI
