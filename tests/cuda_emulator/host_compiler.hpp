#pragma once
// Makes a shared object of a kernel's text for the host.

#include <string>

namespace emulator {

/// Compiles and links `text`, C++ that host_text made, and gives the shared object's bytes in
/// `image`. With `contract`, a * b + c may be rounded once. False if that fails; `log` has the
/// compiler's words.
bool compile_for_host(const std::string& text, bool contract, std::string& image,
                      std::string& log);

}  // namespace emulator
