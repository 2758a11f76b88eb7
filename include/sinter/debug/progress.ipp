#pragma once

#include <sys/ioctl.h>  // ioctl, TIOCGWINSZ
#include <unistd.h>     // isatty

#include <algorithm>  // std::min
#include <chrono>     // std::chrono::steady_clock

#include <sinter/base/text.hpp>
#include <sinter/debug/progress.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail::debug {

SINTER_INLINE double monotonic_seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

// "07", "1:05", "2:03:04": a duration of whole seconds.
SINTER_INLINE std::string clock_text(double seconds) {
  const auto all = static_cast<std::int64_t>(seconds + 0.5);
  char buffer[32];
  if (all < 3600) {
    std::snprintf(buffer, sizeof(buffer), "%d:%02d", static_cast<int>(all / 60),
                  static_cast<int>(all % 60));
  } else {
    std::snprintf(buffer, sizeof(buffer), "%lld:%02d:%02d", static_cast<long long>(all / 3600),
                  static_cast<int>(all / 60 % 60), static_cast<int>(all % 60));
  }
  return buffer;
}

SINTER_INLINE std::string rate_text(std::int64_t steps, double seconds) {
  if (steps == 0 || seconds <= 0) return "";
  const double rate = static_cast<double>(steps) / seconds;
  char buffer[48];
  if (rate >= 1) {
    std::snprintf(buffer, sizeof(buffer), rate >= 100 ? "%.0f/s" : "%.1f/s", rate);
  } else {
    std::snprintf(buffer, sizeof(buffer), "%.1f s each", 1 / rate);
  }
  return buffer;
}

SINTER_INLINE std::size_t terminal_columns(int descriptor) {
  winsize size{};
  const bool known = ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

}  // namespace detail::debug

SINTER_INLINE Progress::Progress(std::int64_t total, std::string label, std::FILE* out)
    : total_(total),
      label_(std::move(label)),
      out_(out),
      is_terminal_(isatty(fileno(out)) == 1),
      start_(detail::debug::monotonic_seconds()),
      shown_at_(start_) {}

SINTER_INLINE Progress::~Progress() { finish(); }

SINTER_INLINE void Progress::step(std::int64_t steps) {
  done_ += steps;
  if (is_finished_) return;
  const double now = detail::debug::monotonic_seconds();
  const std::int64_t tenth = total_ > 0 ? done_ * 10 / total_ : -1;
  const bool is_due =
      is_terminal_ ? now - shown_at_ >= 0.1 : now - shown_at_ >= 10 && tenth != shown_tenth_;
  if (!is_due) return;
  shown_at_ = now;
  shown_tenth_ = total_ > 0 ? tenth : 0;
  write(now - start_);
}

SINTER_INLINE void Progress::note(std::string_view text) { note_ = text; }

SINTER_INLINE void Progress::finish() {
  if (is_finished_) return;
  is_finished_ = true;
  write(detail::debug::monotonic_seconds() - start_);
  if (is_terminal_) std::fputs("\n", out_);
  std::fflush(out_);
}

// "epoch 1: 42% 840/2000 [=====>      ] 0:12, 0:17 left, 70.2/s, loss 0.25"
SINTER_INLINE std::string Progress::line(double seconds) const {
  std::string result = label_.empty() ? "" : label_ + ": ";
  const std::string rate = detail::debug::rate_text(done_, seconds);
  if (total_ > 0) {
    result += detail::text(done_ * 100 / total_, "% ", done_, "/", total_);
    if (is_terminal_) {
      constexpr std::int64_t width = 20;
      const std::int64_t filled = std::min(done_ * width / total_, width);
      result += detail::text(" [", std::string(static_cast<std::size_t>(filled), '='),
                             std::string(static_cast<std::size_t>(width - filled), ' '), "]");
    }
  } else {
    result += std::to_string(done_);
  }
  result += " " + detail::debug::clock_text(seconds);
  if (total_ > done_ && done_ > 0 && !is_finished_) {
    const double left = seconds / static_cast<double>(done_) * static_cast<double>(total_ - done_);
    result += detail::text(", ", detail::debug::clock_text(left), " left");
  }
  if (!rate.empty()) result += ", " + rate;
  if (!note_.empty()) result += ", " + note_;
  return result;
}

SINTER_INLINE void Progress::write(double seconds) {
  std::string text = line(seconds);
  if (!is_terminal_) {
    std::fputs((text + "\n").c_str(), out_);
  } else {
    // A line that wraps could not be written over.
    const std::size_t columns = detail::debug::terminal_columns(fileno(out_));
    if (text.size() >= columns) text.resize(columns - 1);
    const std::size_t written = text.size();
    if (written < columns_of_last_) text.append(columns_of_last_ - written, ' ');
    columns_of_last_ = written;
    std::fputs(("\r" + text).c_str(), out_);
  }
  std::fflush(out_);
}

}  // namespace sinter::inline SINTER_ABI
