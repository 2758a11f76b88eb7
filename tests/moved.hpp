#pragma once
// What tests of the host need to run on a GPU as well, by tests/on_gpu.cpp.

#include <cstdint>  // std::int64_t
#include <cstdlib>  // std::getenv
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sinter_test {

/// Whether every case makes its tensors on a GPU.
inline bool on_gpu() {
  const char* const device = std::getenv("SINTER_TEST_DEVICE");
  return device != nullptr && std::string_view(device) == "cuda";
}

/// What a test expects or how much it does, on the host and on a GPU. The emulated one takes a
/// thousand times as long for an element as the host does, so that sizes and repetitions are small.
template <class T>
T by_device(T host, T gpu) {
  return on_gpu() ? gpu : host;
}

/// Where a test writes its files: the same test may run on each device at once.
inline std::string directory() {
  const std::string all = SINTER_TEST_DIR;
  return on_gpu() ? all + (std::getenv("SINTER_TEST_GPU") ? "/gpu" : "/emulated") : all;
}

/// False and true in turn, for checks that on a GPU do one of two things.
inline bool next_turn() {
  static bool result = true;
  return result = !result;
}

/// The most kernels of what is `count` on the host: on a GPU products, the rows behind them and the
/// parts of long sums are kernels of their own.
inline std::int64_t most_kernels(std::int64_t count) { return by_device(count, 3 * count); }

/// True if what is `count` kernels on the host is compiled, and to no more than most_kernels().
inline bool are_kernels(std::int64_t found, std::int64_t count) {
  return on_gpu() ? found >= 1 && found <= most_kernels(count) : found == count;
}

/// Called when a test case that is moved to a GPU ends, while it still has one: says what is wrong.
inline std::vector<std::vector<std::string> (*)()>& checks_at_end() {
  static std::vector<std::vector<std::string> (*)()> result;
  return result;
}

/// Called when a test case that is moved to a GPU starts and when it ends, while it has one.
inline std::vector<std::function<void()>>& calls_at_start() {
  static std::vector<std::function<void()>> result;
  return result;
}
inline std::vector<std::function<void()>>& calls_at_end() {
  static std::vector<std::function<void()>> result;
  return result;
}

}  // namespace sinter_test
