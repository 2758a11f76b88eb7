#pragma once
// What the emulated NVRTC and the emulated linker agree on.

namespace emulator {

/// Before the image of a program that has to be linked.
inline constexpr const char* relocatable_mark = "relocatable ";

}  // namespace emulator
