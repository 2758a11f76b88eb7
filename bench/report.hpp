#pragma once
// The rows of the table: on the terminal for people, as JSON for programs.

#include <cstdio>
#include <cstdlib>
#include <string>

#include "measure.hpp"

namespace bench {

/// One competitor on one size of one problem. Times are in seconds.
struct Row {
  std::string problem;
  std::string size;
  int threads = 1;
  double sinter = 0;
  double peer = 0;        ///< Of a competitor, or the time that must be met.
  std::string peer_name;  ///< "by hand", "torch.compile"; "bound" for a time that must be met.
  double ratio = 0;       ///< peer / sinter: above 1 where sinter is faster.
  double target = 1;      ///< The least ratio that design asks for; 0 where it asks for none.

  bool met() const { return ratio >= target; }
};

/// "1.23 ms": three digits, and the unit in which they are readable.
inline std::string time_text(double seconds) {
  char text[32];
  const double size = seconds < 0 ? -seconds : seconds;
  const char* unit = size < 1e-6 ? "ns" : size < 1e-3 ? "us" : size < 1 ? "ms" : "s";
  const double scale = size < 1e-6 ? 1e9 : size < 1e-3 ? 1e6 : size < 1 ? 1e3 : 1;
  std::snprintf(text, sizeof(text), "%.3g %s", seconds * scale, unit);
  return text;
}

/// `text` as a JSON string.
inline std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

inline std::string to_json(const Row& row) {
  char numbers[160];
  std::snprintf(numbers, sizeof(numbers), "\"ratio\": %.6g, \"target\": %.6g, \"met\": %s}",
                row.ratio, row.target, row.met() ? "true" : "false");
  char times[160];
  std::snprintf(times, sizeof(times), "\"threads\": %d, \"sinter\": %.6g, \"peer\": %.6g, ",
                row.threads, row.sinter, row.peer);
  return "{\"problem\": " + quoted(row.problem) + ", \"size\": " + quoted(row.size) + ", " + times +
         "\"peer_name\": " + quoted(row.peer_name) + ", " + numbers;
}

/// A line of the table that ./bench/run prints; its heading stands there.
inline std::string to_line(const Row& row) {
  char text[256];
  std::snprintf(text, sizeof(text), "%-12s %-20s %3d %9s %9s  %-18s %7.3g %7.3g  %s",
                row.problem.c_str(), row.size.c_str(), row.threads, time_text(row.sinter).c_str(),
                time_text(row.peer).c_str(), row.peer_name.c_str(), row.ratio, row.target,
                row.target == 0 ? "-"
                : row.met()     ? "met"
                                : "MISSED");
  return text;
}

/// Prints rows, and appends them to the file that SINTER_BENCH_JSON names, a record a line.
class Report {
 public:
  explicit Report(std::string problem) : problem_(std::move(problem)) {}

  void add(Row row) const {
    row.problem = problem_;
    std::printf("%s\n", to_line(row).c_str());
    std::fflush(stdout);
    const char* file = std::getenv("SINTER_BENCH_JSON");
    if (file == nullptr) return;
    std::FILE* out = std::fopen(file, "a");
    if (out == nullptr) return;
    std::fprintf(out, "%s\n", to_json(row).c_str());
    std::fclose(out);
  }

  /// A row of sinter against a competitor.
  void add(const std::string& size, int threads, const Comparison& times,
           const std::string& peer_name, double target) const {
    add({.problem = {},
         .size = size,
         .threads = threads,
         .sinter = times.first,
         .peer = times.second,
         .peer_name = peer_name,
         .ratio = times.ratio,
         .target = target});
  }

  /// A row of sinter against a time that must be met.
  void add_bound(const std::string& size, int threads, double seconds, double bound) const {
    add({.problem = {},
         .size = size,
         .threads = threads,
         .sinter = seconds,
         .peer = bound,
         .peer_name = "bound",
         .ratio = bound / seconds,
         .target = 1});
  }

 private:
  std::string problem_;
};

}  // namespace bench
