#pragma once
// What tests have compiled, kept for the real NVRTC.

#include <string>

namespace emulator {

/// Writes `source` to a file of the folder that SINTER_TEST_SPILLS names, each text once: a line
/// with the options of NVRTC and the test case, then the text. Texts that do not begin as those of
/// the library's compiler do are written by hand, and left out.
void keep(const std::string& source, bool contract);

}  // namespace emulator
