#pragma once
// The reports of the emulator.

#include <string>
#include <vector>

namespace emulator {

class Module;

/// Takes the reports since the last call.
std::vector<std::string>& reports();

/// Adds a report. If the environment has EMULATOR_LOG, prints it at once.
void add_report(const std::string& text);

/// The return address of the function with this frame.
const void* caller(const void* frame);

/// "kernels.cu:12 in load_f32x4, from kernels.cu:40 in f": the call stack of the function with this
/// frame, as lines of the kernel text.
std::string lines_of(const Module& module, const void* frame);

}  // namespace emulator
