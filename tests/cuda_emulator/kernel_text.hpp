#pragma once
// Makes C++ for the host of a kernel's text, line by line.

#include <stdexcept>
#include <string>
#include <vector>

namespace emulator {

struct KernelText {
  std::string text{};
  std::vector<std::string> kernels{};
  std::vector<std::string> assembly{};
};

/// Statements of inline assembly become calls, dynamic shared memory a pointer, and each kernel
/// gets a function that calls it. std::runtime_error, "kernels.cu(3): error: ...", if that cannot
/// be.
KernelText host_text(const std::string& text);

}  // namespace emulator
