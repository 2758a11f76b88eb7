#pragma once
// The format that the emulated NVRTC and nvJitLink share.

namespace emulator {

/// Prefix of the image of a program that has to be linked.
inline constexpr const char* relocatable_mark = "relocatable ";

}  // namespace emulator
