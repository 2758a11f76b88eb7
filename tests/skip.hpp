#pragma once
// Skips a test case if the machine lacks something that it needs.

#include <cstdio>  // std::printf

namespace sinter_test {

/// Cases that ended by SINTER_SKIP; the program returns 77 when no other ran.
inline unsigned skipped_cases = 0;
/// Errors that were found after the end of a test case.
inline unsigned late_failures = 0;

}  // namespace sinter_test

/// Ends the test case. `reason` says what is missing: "no GPU: cuInit returned 100".
#define SINTER_SKIP(reason)                                         \
  do {                                                              \
    std::printf("skipped: %s\n", static_cast<const char*>(reason)); \
    ++sinter_test::skipped_cases;                                   \
    return;                                                         \
  } while (false)
