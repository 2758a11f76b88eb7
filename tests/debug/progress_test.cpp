#include <doctest/doctest.h>
#include <fcntl.h>      // O_RDWR
#include <sys/ioctl.h>  // TIOCSWINSZ
#include <unistd.h>     // read

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include <sinter/debug/progress.hpp>

#include "skip.hpp"

using namespace sinter;

namespace {

std::string content_of(std::FILE* file) {
  std::string result;
  std::rewind(file);
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) result += static_cast<char>(c);
  return result;
}

}  // namespace

TEST_CASE("progress: a file gets whole lines, and few") {
  std::FILE* const file = std::tmpfile();
  {
    Progress progress(1000, "epoch 1", file);
    for (int i = 0; i < 1000; ++i) progress.step();
    progress.note("loss 0.25");
    progress.finish();
    progress.step();
    CHECK(progress.done() == 1001);
  }
  const std::string text = content_of(file);
  INFO(text);
  CHECK(text.find("epoch 1: 100% 1000/1000 0:00") == 0);
  CHECK(text.find(", loss 0.25\n") == text.size() - 12);
  CHECK(text.find('\r') == std::string::npos);
  std::fclose(file);
}

TEST_CASE("progress: without a total it counts") {
  std::FILE* const file = std::tmpfile();
  { Progress(0, "", file).step(7); }
  CHECK(content_of(file).find("7 0:00") == 0);
  std::fclose(file);
}

TEST_CASE("progress: a terminal has one line, which is never wider") {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) {
    SINTER_SKIP("there are no pseudo-terminals");
  }
  std::FILE* const out = std::fopen(ptsname(terminal), "r+");
  if (out == nullptr) SINTER_SKIP("there are no pseudo-terminals");
  const winsize size{.ws_row = 20, .ws_col = 40, .ws_xpixel = 0, .ws_ypixel = 0};
  ioctl(terminal, TIOCSWINSZ, &size);
  {
    Progress progress(4, "a label", out);
    for (int i = 0; i < 3; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(110));
      progress.note(std::string(60, 'x'));
      progress.step();
    }
  }
  fcntl(terminal, F_SETFL, O_NONBLOCK);
  std::string text;
  char buffer[4096];
  for (ssize_t count = 0; (count = read(terminal, buffer, sizeof(buffer))) > 0;) {
    text.append(buffer, static_cast<std::size_t>(count));
  }
  INFO(text);
  CHECK(text.find("\ra label: 25% 1/4 [=====               ]") == 0);
  std::size_t returns = 0, column = 0, widest = 0;
  for (const char c : text) {
    returns += c == '\r';
    column = c == '\r' || c == '\n' ? 0 : column + 1;
    widest = std::max(widest, column);
  }
  CHECK(widest == 39);
  CHECK(returns == 5);  // three steps, the end, and that of the line
  CHECK(text.back() == '\n');
  std::fclose(out);
  close(terminal);
}
