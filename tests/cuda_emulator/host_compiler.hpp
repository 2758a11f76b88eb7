#pragma once
// Compiles the text of kernels to a shared object for the host.

#include <string>

namespace emulator {

/// Compiles and links `text`, C++ from host_text, to the shared object `image`. With `contract`,
/// a * b + c may be fused. Returns false on failure; `log` has the output of the compiler.
bool compile_for_host(const std::string& text, bool contract, std::string& image, std::string& log);

}  // namespace emulator
