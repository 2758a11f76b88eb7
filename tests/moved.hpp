#pragma once
// Helpers for host tests that also run on a GPU; see tests/on_gpu.cpp.

#include <cstdint>  // std::int64_t
#include <cstdlib>  // std::getenv
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sinter_test {

/// Whether test cases create their tensors on a GPU.
inline bool on_gpu() {
  const char* const device = std::getenv("SINTER_TEST_DEVICE");
  return device != nullptr && std::string_view(device) == "cuda";
}

/// The value for the host or for a GPU, of an expected result or an amount of work. The emulated
/// GPU takes a thousand times as long per element as the host, so sizes and repetitions are small.
template <class T>
T by_device(T host, T gpu) {
  return on_gpu() ? gpu : host;
}

/// The directory for files of a test: the same test may run on several devices at once.
inline std::string directory() {
  const std::string all = SINTER_TEST_DIR;
  return on_gpu() ? all + (std::getenv("SINTER_TEST_GPU") ? "/gpu" : "/emulated") : all;
}

/// Alternates between false and true, for checks that run only one of two forms on a GPU.
inline bool next_turn() {
  static bool result = true;
  return result = !result;
}

/// The most GPU kernels for a program of `count` host kernels: on a GPU, products, the rows after
/// them, and parts of long sums are separate kernels.
inline std::int64_t most_kernels(std::int64_t count) { return by_device(count, 3 * count); }

/// True if a program of `count` host kernels is compiled, to at most most_kernels() on a GPU.
inline bool are_kernels(std::int64_t found, std::int64_t count) {
  return on_gpu() ? found >= 1 && found <= most_kernels(count) : found == count;
}

/// Called at the end of a test case that is moved to a GPU, while the GPU still exists: returns
/// errors.
inline std::vector<std::vector<std::string> (*)()>& checks_at_end() {
  static std::vector<std::vector<std::string> (*)()> result;
  return result;
}

/// Called at the start and the end of a test case that is moved to a GPU, while the GPU exists.
inline std::vector<std::function<void()>>& calls_at_start() {
  static std::vector<std::function<void()>> result;
  return result;
}
inline std::vector<std::function<void()>>& calls_at_end() {
  static std::vector<std::function<void()>> result;
  return result;
}

}  // namespace sinter_test
