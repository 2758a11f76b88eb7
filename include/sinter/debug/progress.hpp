#pragma once
// Progress: a bar on a terminal, and few whole lines in a log file.

#include <cstdint>      // std::int64_t
#include <cstdio>       // std::FILE
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI {

/// Shows how far a loop is, how fast, and how long the rest takes. On a terminal one line is
/// written again and again, at most ten times a second; elsewhere, as in a file or a pipe, a line
/// is added for each tenth, at most one in ten seconds, and at the end. One thread uses it at a
/// time.
///
///   Progress progress(loader.size(), "epoch 1");
///   for (const auto& batch : loader) {
///     progress.note(text_of(loss));
///     progress.step();
///   }
class Progress {
 public:
  /// `total` steps; 0 if their number is not known.
  explicit Progress(std::int64_t total = 0, std::string label = "", std::FILE* out = stderr);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Ends as finish() does.
  ~Progress();

  /// Counts `steps` more.
  void step(std::int64_t steps = 1);
  /// Sets what stands behind the numbers: "loss 0.25".
  void note(std::string_view text);
  /// Writes the last state, with the time of all, and ends the line. Later steps show nothing.
  void finish();

  std::int64_t done() const { return done_; }

 private:
  std::string line(double seconds) const;
  void write(double seconds);

  std::int64_t total_, done_ = 0;
  std::string label_, note_{};
  std::FILE* out_;
  bool is_terminal_, is_finished_ = false;
  double start_, shown_at_;  // seconds of a monotonic clock
  std::int64_t shown_tenth_ = 0;
  std::size_t columns_of_last_ = 0;  // of the line on the terminal
};

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/debug/progress.ipp>
#endif
