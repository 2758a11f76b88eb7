#pragma once
// Saves the kernels that tests compile, to be compiled by the real NVRTC later.

#include <string>

namespace emulator {

/// Writes `source` to a file in the folder SINTER_TEST_SPILLS, each text once: a line with the
/// NVRTC options and the test case, then the text. Hand-written kernels, which lack the prelude of
/// sinter, are skipped.
void keep(const std::string& source, bool contract);

}  // namespace emulator
