#pragma once
// The output of the example: a progress line, a table at the end, and the same as JSON.

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace digits {

inline std::string fixed(double value, int decimals) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*f", decimals, value);
  return buffer;
}

/// One line that is overwritten on a terminal; elsewhere, a line for each call of show().
class Progress {
 public:
  void show(const std::string& line) const {
    std::printf(live_ ? "\r%s\x1b[K" : "%s\n", line.c_str());
    std::fflush(stdout);
  }
  void end() const {
    if (live_) std::printf("\n");
  }

 private:
  bool live_ = isatty(STDOUT_FILENO) != 0;
};

/// A figure: as text, and as a key and a number.
struct Figure {
  std::string label{};
  std::string text{};
  std::string key{};
  double value = 0;
};

class Report {
 public:
  /// Begins a new table: keys added from here on have the prefix `prefix`.
  void begin(const std::string& prefix) {
    prefix_ = prefix;
    first_ = figures_.size();
  }

  /// `value` with `decimals` decimals, followed by `unit`.
  void add(const std::string& label, const std::string& key, double value, int decimals,
           const std::string& unit = "") {
    figures_.push_back(
        {label, fixed(value, decimals) + (unit.empty() ? "" : " " + unit), prefix_ + key, value});
  }

  /// Prints the last table.
  void print() const {
    for (std::size_t i = first_; i < figures_.size(); ++i) {
      std::printf("%-44s %12s\n", figures_[i].label.c_str(), figures_[i].text.c_str());
    }
  }

  void write_json(const std::string& path) const {
    std::ofstream file(path);
    file.precision(9);
    const char* separator = "{\n";
    for (const Figure& figure : figures_) {
      file << separator << "  \"" << figure.key << "\": " << figure.value;
      separator = ",\n";
    }
    file << "\n}\n";
    if (!file.flush()) throw std::runtime_error("cannot write " + path);
  }

 private:
  std::vector<Figure> figures_;
  std::string prefix_{};
  std::size_t first_ = 0;  // of the last table
};

}  // namespace digits
