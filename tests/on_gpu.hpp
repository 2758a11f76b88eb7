#pragma once
// What tests that are moved to a GPU leave to the end of a test case.

#include <string>
#include <vector>

namespace sinter_test {

/// Called when a test case that is moved to a GPU ends, while it still has one: says what is wrong.
inline std::vector<std::vector<std::string> (*)()>& checks_at_end() {
  static std::vector<std::vector<std::string> (*)()> result;
  return result;
}

}  // namespace sinter_test
