#pragma once
// The rows of the table: as text on the terminal, and as JSON for programs.

#include <cstdio>
#include <cstdlib>
#include <string>

#include "measure.hpp"

namespace bench {

enum class Unit { seconds, bytes };

/// One competitor on one size of one problem, in seconds or bytes.
struct Row {
  std::string problem;
  std::string size;
  int threads = 1;
  double sinter = 0;
  double peer = 0;        ///< Of a competitor, or the value that must be met.
  std::string peer_name;  ///< "by hand", "torch compile"; "bound" for a value that must be met.
  double ratio = 0;       ///< peer / sinter: above 1 where sinter is better.
  double target = 1;      ///< The least ratio that design asks for; 0 where it asks for none.
  double least = 0;       ///< What no program could go below; 0 where that is not known.
  Unit unit = Unit::seconds;

  bool met() const { return ratio >= target; }
};

/// "1.23 ms", "4.5 MiB": three digits with a suitable unit.
inline std::string amount_text(double amount, Unit unit) {
  const bool time = unit == Unit::seconds;
  const char* const names[2][4] = {{"ns", "us", "ms", "s"}, {"B", "KiB", "MiB", "GiB"}};
  const double step = time ? 1e3 : 1024;
  double shown = time ? amount * 1e9 : amount;
  int at = 0;
  for (; at < 3 && (shown < 0 ? -shown : shown) >= (time ? 999.5 : 1024); ++at) shown /= step;
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g %s", shown, names[time ? 0 : 1][at]);
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
  char numbers[320];
  std::snprintf(numbers, sizeof(numbers),
                "\"unit\": \"%s\", \"threads\": %d, \"sinter\": %.6g, \"peer\": %.6g, "
                "\"ratio\": %.6g, \"target\": %.6g, \"least\": %.6g, \"met\": %s}",
                row.unit == Unit::seconds ? "s" : "B", row.threads, row.sinter, row.peer, row.ratio,
                row.target, row.least, row.met() ? "true" : "false");
  return "{\"problem\": " + quoted(row.problem) + ", \"size\": " + quoted(row.size) +
         ", \"peer_name\": " + quoted(row.peer_name) + ", " + numbers;
}

/// A line of the table that ./bench/run prints below the heading.
inline std::string to_line(const Row& row) {
  char least[48] = "        -      -";
  if (row.least > 0) {
    std::snprintf(least, sizeof(least), "%9s %6.3g", amount_text(row.least, row.unit).c_str(),
                  row.least / row.sinter);
  }
  char text[320];
  std::snprintf(text, sizeof(text), "%-13s %-25s %3d %9s %9s  %-13s %7.3g %6.3g %-6s %s",
                row.problem.c_str(), row.size.c_str(), row.threads,
                amount_text(row.sinter, row.unit).c_str(), amount_text(row.peer, row.unit).c_str(),
                row.peer_name.c_str(), row.ratio, row.target,
                row.target == 0 ? "-"
                : row.met()     ? "met"
                                : "MISSED",
                least);
  return text;
}

/// Prints rows, and appends them to the file that SINTER_BENCH_JSON names, one record per line.
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

  /// A row of sinter against a competitor; `least` is the roof in seconds.
  void add(const std::string& size, int threads, const Comparison& times,
           const std::string& peer_name, double target, double least = 0) const {
    add({.problem = {},
         .size = size,
         .threads = threads,
         .sinter = times.first,
         .peer = times.second,
         .peer_name = peer_name,
         .ratio = times.ratio,
         .target = target,
         .least = least});
  }

  /// A row of sinter against a fixed bound.
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
