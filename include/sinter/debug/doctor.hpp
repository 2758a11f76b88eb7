#pragma once
// doctor(): what this machine has for compiling and running kernels, and the commands that mend
// what is missing.

#include <string>  // std::string
#include <vector>  // std::vector

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI {

/// Something that doctor() looked at.
struct Finding {
  enum class State : unsigned char { good, note, problem };
  State state = State::good;
  std::string topic{};  ///< "compiler", "kernel", "cache", ...
  std::string text{};   ///< What was found, and for a problem what follows from it.
  std::string fix{};    ///< A command, or several lines; empty if there is nothing to mend.
};

/// What doctor() found, in the order in which it looked.
struct Doctor {
  std::vector<Finding> findings{};
  /// Whether there is no problem. A note is not one: a machine without a GPU is well.
  bool ok() const;
};

/// Looks at what sinter needs from this machine: compilers, whether a kernel compiles, loads and
/// computes, vectors, threads, temporary files, the disk cache, environment variables, the CUDA
/// driver, NVRTC and GPUs. Compiles one small kernel; takes about half a second. Throws nothing
/// about the machine: whatever fails is a finding.
Doctor doctor();

/// A line for each finding, and below it the way to mend it; the last line counts the problems.
std::string to_string(const Doctor& doctor);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/debug/doctor.ipp>
#endif
