// doctest's main. Returns 77 if all test cases were skipped.

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>  // std::printf

#include "listener.hpp"
#include "skip.hpp"

namespace {

unsigned cases_run = 0;

// Counts the test cases that pass the filters of the command line.
struct Counter : sinter_test::Listener {
  explicit Counter(const doctest::ContextOptions&) {}
  void test_case_start(const doctest::TestCaseData&) override { ++cases_run; }
};

REGISTER_LISTENER("counter", 1, Counter);

}  // namespace

int main(int argc, char** argv) {
  doctest::Context context(argc, argv);
  const int result = context.run();
  if (context.shouldExit() || result != 0) return result;
  if (sinter_test::late_failures != 0) return 1;
  if (cases_run == 0) {
    std::printf("no case matches the filter\n");
    return 1;
  }
  return cases_run == sinter_test::skipped_cases ? 77 : 0;
}
