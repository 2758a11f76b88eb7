// What a child returns, throws, and does not survive.

#include <doctest/doctest.h>

#include <csignal>
#include <stdexcept>
#include <string>

#include <sinter/debug/fault/child.hpp>

using namespace sinter::detail;

TEST_CASE("child: results, exceptions and signals arrive as text") {
  const std::string text(100'000, 'x');
  CHECK(debug::in_child([&] { return text; }) == text);
  CHECK(debug::in_child([]() -> std::string { throw std::runtime_error("no"); }) == "no");
  const std::string end = debug::in_child([] {
    std::raise(SIGKILL);
    return std::string();
  });
  CHECK(end == "signal 9");
  CHECK(debug::is_crash(end));
  CHECK_FALSE(debug::is_crash("no"));
}
