#pragma once
// What the emulator has found, in words.

#include <string>
#include <vector>

namespace emulator {

class Module;

/// The reports since they were last taken.
std::vector<std::string>& reports();

/// One more; EMULATOR_LOG in the environment prints each as it comes.
void add_report(const std::string& text);

/// Where the function whose frame this is returns to.
const void* caller(const void* frame);

/// "kernels.cu:12 in load_f32x4, from kernels.cu:40 in f": the lines of the kernel's text that lead
/// to the function whose frame this is.
std::string lines_of(const Module& module, const void* frame);

}  // namespace emulator
