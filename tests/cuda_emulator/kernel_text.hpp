#pragma once
// Translates the text of CUDA kernels to C++ for the host, line by line.

#include <stdexcept>
#include <string>
#include <vector>

namespace emulator {

struct KernelText {
  std::string text{};
  std::vector<std::string> kernels{};
  std::vector<std::string> assembly{};
};

/// Inline assembly becomes calls, dynamic shared memory a pointer, and each kernel gets a function
/// that calls it. Throws std::runtime_error, "kernels.cu(3): error: ...", if it cannot translate.
KernelText host_text(const std::string& text);

}  // namespace emulator
