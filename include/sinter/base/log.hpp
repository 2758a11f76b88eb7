#pragma once
// Log lines on standard error, selected by SINTER_LOGS.

#include <atomic>       // std::atomic
#include <cstddef>      // std::size_t
#include <cstdint>      // std::uint8_t
#include <cstdio>       // std::fputs
#include <string>       // std::string
#include <string_view>  // std::hash, std::string_view

#include <sinter/base/env.hpp>
#include <sinter/base/text.hpp>

namespace sinter::inline SINTER_ABI::detail {

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
  autotune,
  recompiles_verbose,
  phases
};

inline constexpr std::string_view log_names[]{
    "breaks", "recompiles", "perf",      "code",  "graph",    "guards",
    "fusion", "memory",     "cudagraph", "cache", "autotune", "recompiles_verbose",
    "phases"};

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

/// The name of the compiled function that this thread works for; empty if it has none.
inline constinit thread_local std::string_view logged_function{};

/// During its lifetime, the log lines of this thread name the compiled function `name`.
class LogScope {
 public:
  explicit LogScope(std::string_view name) : outer_(logged_function) { logged_function = name; }
  LogScope(const LogScope&) = delete;
  LogScope& operator=(const LogScope&) = delete;
  ~LogScope() { logged_function = outer_; }

 private:
  std::string_view outer_;
};

/// What is written for `message`: `head`, then the message. If the function has a name, each line
/// of the message is a line of its own, with `head` and that name, unless it begins with the name.
inline std::string log_lines(std::string_view head, std::string_view message) {
  if (logged_function.empty()) return text(head, message, "\n");
  std::string result;
  while (!message.empty()) {
    const std::size_t end = message.find('\n');
    const std::string_view line = message.substr(0, end);
    const std::size_t indent = line.find_first_not_of(' ');
    const bool names_it = indent != line.npos &&
                          line.substr(indent).substr(0, logged_function.size()) == logged_function;
    result += names_it ? text(head, line, "\n") : text(head, logged_function, ": ", line, "\n");
    message.remove_prefix(end == message.npos ? message.size() : end + 1);
  }
  return result;
}

/// Writes a message that every user should see: once in full, on standard error.
inline void warn(std::string_view message) {
  std::fputs(log_lines("sinter: ", message).c_str(), stderr);
}

/// The unknown words of `list`, as in SINTER_LOGS: "fusions, x".
inline std::string unknown_words(std::string_view list) {
  std::string result;
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    const std::string_view word = list.substr(0, comma);
    bool known = word.empty() || word == "all";
    for (const std::string_view name : log_names) known |= word == name;
    if (!known) result += text(result.empty() ? "" : ", ", word);
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  }
  return result;
}

/// Warns once for each list about its unknown words.
inline void warn_of_unknown_words(std::string_view list) {
  static std::atomic<std::size_t> said{0};
  const std::size_t hash = std::hash<std::string_view>()(list);
  if (said.load(std::memory_order_relaxed) == hash || said.exchange(hash) == hash) return;
  const std::string unknown = unknown_words(list);
  if (unknown.empty()) return;
  warn(text("SINTER_LOGS names ", unknown, ", which is nothing to report; known are ",
            info(Env::logs).values, " and all"));
}

inline bool log_enabled(Log kind) {
  const std::string_view list = env(Env::logs);
  if (list.empty()) return false;
  warn_of_unknown_words(list);
  return names(list, kind);
}

/// Writes "sinter[fusion]: ..." if SINTER_LOGS names `kind`.
inline void log(Log kind, std::string_view message) {
  if (!log_enabled(kind)) return;
  std::fputs(log_lines(text("sinter[", to_string(kind), "]: "), message).c_str(), stderr);
}

}  // namespace sinter::inline SINTER_ABI::detail
